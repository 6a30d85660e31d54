import type { ByteSource } from '../objects/object-storage.ts';

/** A still picture of a video. */
export interface Cover {
  /** A JPEG of at most 10 MB. */
  readonly bytes: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Makes covers of videos. How many at once is its callers' concern. */
export interface CoverMaker {
  /**
   * A frame of the video. null when the tool is missing, can't read the codec, or goes beyond its time or memory:
   * a video without a cover is still a video; null also once the signal is aborted, which ends the tool. Throws only what
   * `source.read` throws.
   */
  make(source: ByteSource, signal?: AbortSignal): Promise<Cover | null>;
  /**
   * How many of a video's first bytes give the same cover as the whole file, whatever follows them; null where the given
   * beginning doesn't tell. Throws only what `beginning.read` throws. A maker that never can tell has no such method.
   */
  enough?(beginning: ByteSource): Promise<number | null>;
}
