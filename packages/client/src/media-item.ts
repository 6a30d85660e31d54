import type { Operations } from './operations.ts';

/** A media item as every operation returns it. */
export type MediaItem = Operations['media']['get']['output']['data'];
