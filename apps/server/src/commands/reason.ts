import { Refusal } from '@postshelf/domain';
import { describeSystemError } from '../telemetry/system-errors.ts';

const STORAGE_LOW =
  'The disk of DATA_DIR or of the database would have less than MIN_FREE_DISK_MB free: free space there, or lower that setting.';

/** Returns why a use case or the system refused something, for operators; null for an unexpected error. */
export function foreseenReason(error: unknown): string | null {
  if (!(error instanceof Refusal)) return describeSystemError(error);
  const { problem } = error;
  if (problem.code === 'storage_low') return problem.message ?? STORAGE_LOW;
  const message = 'message' in problem ? problem.message : problem.code;
  return [message, describeSystemError(error)].filter((part) => part !== null).join(' ');
}

/** Returns why something failed, on one line. */
export const reasonOf = (error: unknown): string =>
  foreseenReason(error) ?? (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
