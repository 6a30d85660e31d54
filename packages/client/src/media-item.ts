import type { Operations } from './operations.ts';

/** As every operation returns it. */
export type MediaItem = Operations['media']['get']['output']['data'];
