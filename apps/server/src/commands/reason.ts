import { Refusal } from '@postshelf/domain';
import { describeSystemError, firstLine } from '../telemetry/system-errors.ts';

const STORAGE_LOW =
  'The disk of DATA_DIR or of the database would have less than MIN_FREE_DISK_MB free: free space there, or lower that setting.';

/** Returns why a use case or the system refused something, for operators; null for an unexpected error. */
export function foreseenReason(error: unknown): string | null {
  if (!(error instanceof Refusal)) return describeSystemError(error);
  const { problem } = error;
  if (problem.code === 'storage_low') return problem.message ?? STORAGE_LOW;
  const message = ('message' in problem ? problem.message : undefined) ?? problem.code;
  const detail = describeSystemError(error) ?? (problem.code === 'unavailable' ? failureBehind(message, error) : null);
  return [message, detail].filter((part) => part !== null).join(' ');
}

/** Returns what a store or a database answered, or that it didn't, with the way to find out more. */
function failureBehind(message: string, { cause }: Refusal): string | null {
  if (!(cause instanceof Error) || cause.message === '' || message.includes(cause.message)) return null;
  return `${firstLine(cause.message)}. Run "postshelf doctor" to find the setting or the server that is to blame.`;
}

/** Returns why something failed, on one line. */
export const reasonOf = (error: unknown): string =>
  foreseenReason(error) ?? firstLine(error instanceof Error ? error.message : String(error));
