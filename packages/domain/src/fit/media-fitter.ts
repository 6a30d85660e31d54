import type { ByteSource } from '../objects/object-storage.ts';
import type { FitAttempt, FitPlan } from './attempt.ts';

/** A file that was made. It is gone when this is disposed of. */
export interface FittedFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Its bytes, once. */
  body(): AsyncIterable<Uint8Array>;
}

/**
 * `too_large`: it would be larger than allowed; `too_long`: making it took longer than anything may; `unreadable`: the tool
 * could make nothing of it; `aborted`: by the signal.
 */
export type FitFailure = 'too_large' | 'too_long' | 'unreadable' | 'aborted';

export interface FitOrder extends Pick<FitPlan, 'how' | 'from' | 'maxBytes' | 'maxTimeMs'> {
  readonly attempt: FitAttempt;
  /** Ends the tool. */
  readonly signal: AbortSignal;
  /** Called now and then with the milliseconds of a film that are made. */
  readonly onProgress?: (madeMs: number) => void;
}

/** Makes files that fit. How many at once is its callers' concern. */
export interface MediaFitter {
  /** Whether there is a tool. Without one {@link make} can't read anything. */
  isAvailable(): Promise<boolean>;
  /** Makes the attempt's file from the original, which is an attacker's. Throws only what `source.read` throws. */
  make(source: ByteSource, order: FitOrder): Promise<FittedFile | FitFailure>;
}
