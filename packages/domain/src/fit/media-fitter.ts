import type { ByteSource } from '../objects/object-storage.ts';
import type { FitAttempt, FitPlan } from './attempt.ts';

/** A converted file. It is deleted when this object is disposed of. */
export interface FittedFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Its bytes, once. */
  body(): AsyncIterable<Uint8Array>;
}

/**
 * `too_large`: it would be larger than allowed; `too_long`: making it exceeded the time limit; `unreadable`: the tool
 * couldn't read the original; `aborted`: by the signal.
 */
export type FitFailure = 'too_large' | 'too_long' | 'unreadable' | 'aborted';

export interface FitOrder extends Pick<FitPlan, 'how' | 'from' | 'maxBytes' | 'maxTimeMs'> {
  readonly attempt: FitAttempt;
  /** Ends the tool. */
  readonly signal: AbortSignal;
  /** Called from time to time with the milliseconds of the video that have been encoded. */
  readonly onProgress?: (madeMs: number) => void;
}

/** Makes files that fit a target. Its callers limit how many are made concurrently. */
export interface MediaFitter {
  /** Whether the tool is installed. Without it {@link make} returns `unreadable`. */
  isAvailable(): Promise<boolean>;
  /** Makes the attempt's file from the original, which is untrusted. Throws only what `source.read` throws. */
  make(source: ByteSource, order: FitOrder): Promise<FittedFile | FitFailure>;
}
