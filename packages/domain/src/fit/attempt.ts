import type { MediaType } from '../media/types.ts';
import type { ItemFacts, Rule, Target } from '../readiness/rule.ts';
import type { FitHow } from './canvas.ts';

/** The settings of a picture to make. */
export interface ImageAttempt {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** From 0 to 100; of no meaning for PNG. */
  readonly quality: number;
}

/** The settings of a film to make: H.264 in 4:2:0 with AAC, its movie box first, without an edit list. */
export interface VideoAttempt {
  readonly type: 'video/mp4';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, all of the same length. */
  readonly frameRate: number;
  /** From 0 to 100. The bitrate is only as high as this needs. */
  readonly quality: number;
  /** Bits a second of the pictures, at most. */
  readonly maxBitrate: number;
  /** Bits a second of the pictures, at least: what they don't need is filled up. 0 where there is no minimum. */
  readonly minBitrate: number;
  /** Hertz. */
  readonly sampleRate: number;
  /** Bits a second. */
  readonly audioBitrate: number;
  /** Milliseconds; null where it ends with the original. */
  readonly maxDurationMs: number | null;
}

export type FitAttempt = ImageAttempt | VideoAttempt;

/** How an item is made to fit a target. */
export interface FitPlan {
  readonly how: FitHow;
  /** The type of the original. */
  readonly from: MediaType;
  /** Tried in this order, each smaller than the one before, until a file is small enough. */
  readonly attempts: readonly [FitAttempt, ...FitAttempt[]];
  /** Bytes. A larger file is of no use. */
  readonly maxBytes: number;
  /** Milliseconds that one attempt may take: several times what its pixels need on a busy machine. */
  readonly maxTimeMs: number;
}

/** Why there is no plan: a sentence for people. */
export interface NoFit {
  readonly reason: string;
}

/** What the planners for images and videos are given. */
export interface FitTask {
  readonly target: Target;
  readonly item: ItemFacts;
  readonly how: FitHow;
  /** The target's rules for the kind of file to make. */
  readonly rules: readonly Rule[];
  takes(type: MediaType): boolean;
}
