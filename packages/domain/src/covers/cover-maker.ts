import type { ByteSource } from '../objects/object-storage.ts';

/** The second of the video that its cover shows, unless nothing is to be seen there or the video ends before. */
export const COVER_SECOND = 1;

/** Seconds to try in turn if the frame at {@link COVER_SECOND} is still black, as in a fade of two seconds. */
export const LATER_COVER_SECONDS: readonly number[] = [3, 10];

export interface Cover {
  /** A JPEG of at most 10 MB. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** `lowest` is for covers that nothing waits for; making such a cover may take minutes. */
export type CoverPriority = 'normal' | 'lowest';

export interface CoverMaker {
  /**
   * Returns null if the tool is missing, can't read the codec, exceeds its limits or was aborted. Throws whatever
   * `source.read` throws. With the priority `lowest`, also throws an Error if the tool doesn't finish in time, because
   * a later attempt may succeed.
   */
  make(source: ByteSource, signal?: AbortSignal, priority?: CoverPriority): Promise<Cover | null>;
}

/** Extracts the frame that a user has chosen from a video. */
export interface FrameTaker {
  /**
   * Extracts the frame that is shown at a second; at the end of the video, the last frame. The same video and second
   * always give the same bytes. Returns `no_tool` if the tool is missing, and null in the cases of {@link
   * CoverMaker.make}.
   */
  take(source: ByteSource, second: number, signal: AbortSignal): Promise<Cover | 'no_tool' | null>;
}
