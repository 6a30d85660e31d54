import type { FocalPoint } from '../media/focus.ts';
import type { MadeFile } from '../objects/made-file.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import type { FitAttempt, FitPlan } from './attempt.ts';
import type { FitCrop } from './crop.ts';

/** `too_large` means that the file is too large for the target; `too_long` that the time limit was exceeded. */
export type FitFailure = 'too_large' | 'too_long' | 'unreadable' | 'aborted';

export interface FitOrder extends Pick<FitPlan, 'how' | 'from' | 'maxBytes' | 'maxTimeMs'> {
  /** The whole frame by default. */
  readonly crop?: FitCrop | null;
  /** The point on which a crop by `how` is centred. Default: the middle of the part that `crop` keeps. */
  readonly focus?: FocalPoint | undefined;
  readonly attempt: FitAttempt;
  /** Aborting it ends the tool. */
  readonly signal: AbortSignal;
  readonly onProgress?: (madeMs: number) => void;
}

export interface MediaFitter {
  /** Whether the tool is installed. Without it {@link make} returns `unreadable`. */
  isAvailable(): Promise<boolean>;
  /** Converts a file. Throws only errors that `source.read` throws. */
  make(source: ByteSource, order: FitOrder): Promise<MadeFile | FitFailure>;
}
