import type { ByteSource } from '../objects/object-storage.ts';
import type { FitAttempt, FitPlan } from './attempt.ts';

/** Deleted when disposed of. */
export interface FittedFile extends AsyncDisposable {
  readonly size: number;
  /** Once. */
  body(): AsyncIterable<Uint8Array>;
}

/** `too_large` for the target; `too_long`: the time limit; `unreadable`: the original; `aborted`: by the signal. */
export type FitFailure = 'too_large' | 'too_long' | 'unreadable' | 'aborted';

export interface FitOrder extends Pick<FitPlan, 'how' | 'from' | 'maxBytes' | 'maxTimeMs'> {
  readonly attempt: FitAttempt;
  /** Ends the tool. */
  readonly signal: AbortSignal;
  /** Milliseconds encoded so far. */
  readonly onProgress?: (madeMs: number) => void;
}

export interface MediaFitter {
  /** Without the tool {@link make} returns `unreadable`. */
  isAvailable(): Promise<boolean>;
  /** Throws only what `source.read` throws. */
  make(source: ByteSource, order: FitOrder): Promise<FittedFile | FitFailure>;
}
