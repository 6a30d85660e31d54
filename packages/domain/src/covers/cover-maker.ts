import type { ByteSource } from '../objects/object-storage.ts';

/** A still image of a video. */
export interface Cover {
  /** A JPEG of at most 10 MB. */
  readonly bytes: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Makes covers of videos. Its callers limit how many are made concurrently. */
export interface CoverMaker {
  /**
   * A frame of the video. null if the tool is missing, can't read the codec or exceeds its time or memory limit, as a
   * video is valid without a cover; also null once the signal is aborted, which ends the tool. Throws only what
   * `source.read` throws.
   */
  make(source: ByteSource, signal?: AbortSignal): Promise<Cover | null>;
}
