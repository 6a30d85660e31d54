import type { MediaType } from '../media/types.ts';
import type { ItemFacts, Rule, Target } from '../readiness/rule.ts';
import type { FitMode } from './canvas.ts';

export interface ImageAttempt {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** 0 to 100; ignored for PNG. */
  readonly quality: number;
}

/** H.264 in 4:2:0 with AAC, its movie box first, without an edit list. */
export interface VideoAttempt {
  readonly type: 'video/mp4';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, constant. */
  readonly frameRate: number;
  /** 0 to 100. The bitrate is only as high as this needs. */
  readonly quality: number;
  /** Bits a second. */
  readonly maxBitrate: number;
  /** Reached by padding; 0: no minimum. */
  readonly minBitrate: number;
  /** Hertz. */
  readonly sampleRate: number;
  /** Bits a second. */
  readonly audioBitrate: number;
  /** null: as long as the original. */
  readonly maxDurationMs: number | null;
}

export type FitAttempt = ImageAttempt | VideoAttempt;

export interface FitPlan {
  readonly how: FitMode;
  readonly from: MediaType;
  /** Each with a smaller result than the one before, until a file is small enough. */
  readonly attempts: readonly [FitAttempt, ...FitAttempt[]];
  readonly maxBytes: number;
  /** Of one attempt, on a busy machine. */
  readonly maxTimeMs: number;
}

/** A sentence for people. */
export interface FitRefusal {
  readonly reason: string;
}

export interface FitTask {
  readonly target: Target;
  readonly item: ItemFacts;
  readonly how: FitMode;
  /** Of the kind of file to make. */
  readonly rules: readonly Rule[];
  takes(type: MediaType): boolean;
}
