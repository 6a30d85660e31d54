import type { FocalPoint } from '../media/focus.ts';
import type { MadeFile } from '../objects/made-file.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { FitAttempt, FitPlan } from './attempt.ts';
import type { FitCrop } from './crop.ts';

/** `too_large` for the target; `too_long`: the time limit. */
export type FitFailure = 'too_large' | 'too_long' | 'unreadable' | 'aborted';

export interface FitOrder extends Pick<FitPlan, 'how' | 'from' | 'maxBytes' | 'maxTimeMs'> {
  /** Default: all of the picture. */
  readonly crop?: FitCrop | null;
  /** Where `how` crops; default: the middle of what is left by `crop`. */
  readonly focus?: FocalPoint | undefined;
  readonly attempt: FitAttempt;
  /** Ends the tool. */
  readonly signal: AbortSignal;
  readonly onProgress?: (madeMs: number) => void;
}

export interface MediaFitter {
  /** Without the tool {@link make} returns `unreadable`. */
  isAvailable(): Promise<boolean>;
  /** Throws only what `source.read` throws. */
  make(source: ByteSource, order: FitOrder): Promise<MadeFile | FitFailure>;
}
