import type { MediaType } from '../media/types.ts';
import type { ItemFacts, Rule, Target } from '../readiness/rule.ts';
import type { FitMode, Size } from './canvas.ts';
import type { FitCrop } from './crop.ts';

export interface ImageAttempt {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Ignored for PNG. */
  readonly quality: number;
}

/** H.264 in 4:2:0 with AAC, with the movie box first. */
export interface VideoAttempt {
  readonly type: 'video/mp4';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  readonly quality: number;
  /** Bits a second. */
  readonly maxBitrate: number;
  /** 0 if there is no minimum. */
  readonly minBitrate: number;
  /** Hertz. */
  readonly sampleRate: number;
  /** Bits a second. */
  readonly audioBitrate: number;
  /** null if the result is as long as the original. */
  readonly maxDurationMs: number | null;
}

export type FitAttempt = ImageAttempt | VideoAttempt;

export interface FitPlan {
  /** The part of the frame that is cut out first, before any other change; null for the whole frame. */
  readonly crop: FitCrop | null;
  readonly how: FitMode;
  readonly from: MediaType;
  /** Each attempt makes a smaller file than the previous one. */
  readonly attempts: readonly [FitAttempt, ...FitAttempt[]];
  readonly maxBytes: number;
  readonly maxTimeMs: number;
}

export interface FitRefusal {
  readonly reason: string;
}

export interface FitTask {
  readonly target: Target;
  /** The item, but with the size of the part of the frame that is kept. */
  readonly item: ItemFacts;
  /** The size of the whole frame, which is decoded. */
  readonly whole: Size;
  readonly how: FitMode;
  readonly rules: readonly Rule[];
  takes(type: MediaType): boolean;
}
