import type { MediaType } from '../media/types.ts';
import type { ItemFacts, Rule, Target } from '../readiness/rule.ts';
import type { FitMode } from './canvas.ts';

/** The settings of an image to make. */
export interface ImageAttempt {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** From 0 to 100; ignored for PNG. */
  readonly quality: number;
}

/** The settings of a video to make: H.264 in 4:2:0 with AAC, its movie box first, without an edit list. */
export interface VideoAttempt {
  readonly type: 'video/mp4';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, at a constant rate. */
  readonly frameRate: number;
  /** From 0 to 100. The bitrate is only as high as this quality needs. */
  readonly quality: number;
  /** Most bits per second of the video stream. */
  readonly maxBitrate: number;
  /** Least bits per second of the video stream, reached by padding if it needs fewer. 0 if there is no minimum. */
  readonly minBitrate: number;
  /** Hertz. */
  readonly sampleRate: number;
  /** Bits a second. */
  readonly audioBitrate: number;
  /** Milliseconds; null: as long as the original. */
  readonly maxDurationMs: number | null;
}

export type FitAttempt = ImageAttempt | VideoAttempt;

/** How an item is made to fit a target. */
export interface FitPlan {
  readonly how: FitMode;
  /** The type of the original. */
  readonly from: MediaType;
  /** Tried in this order, each with a smaller result than the previous one, until a file is small enough. */
  readonly attempts: readonly [FitAttempt, ...FitAttempt[]];
  /** Bytes. A larger file is useless. */
  readonly maxBytes: number;
  /** Milliseconds that one attempt may take: several times what its pixels need on a busy machine. */
  readonly maxTimeMs: number;
}

/** Why there is no plan: a sentence for people. */
export interface FitRefusal {
  readonly reason: string;
}

/** The input of the planners for images and videos. */
export interface FitTask {
  readonly target: Target;
  readonly item: ItemFacts;
  readonly how: FitMode;
  /** The target's rules for the kind of file to make. */
  readonly rules: readonly Rule[];
  takes(type: MediaType): boolean;
}
