import type { Operations } from './operations.ts';

/** A media item as the service returns it. */
export type MediaItem = Operations['media']['get']['output']['data'];
