import type { ByteSource } from '../objects/object-storage.ts';

export interface Cover {
  /** A JPEG of at most 10 MB. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** `lowest` for a cover that nobody waits for, which may then take minutes. */
export type CoverPriority = 'normal' | 'lowest';

export interface CoverMaker {
  /**
   * null if the tool is missing, can't read the codec, exceeds its limits or was aborted. Throws what `source.read`
   * throws, and an Error where the lowest priority didn't suffice in time: it may do so later.
   */
  make(source: ByteSource, signal?: AbortSignal, priority?: CoverPriority): Promise<Cover | null>;
}

/** Port: takes a frame of a video that somebody chose. */
export interface FrameTaker {
  /**
   * Takes the frame that is shown at a second, the last one at the end: always the same bytes. `no_tool` if the tool is
   * missing; null as for {@link CoverMaker.make}.
   */
  take(source: ByteSource, second: number, signal: AbortSignal): Promise<Cover | 'no_tool' | null>;
}
