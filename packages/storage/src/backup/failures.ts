import { BackupError } from '@postshelf/domain';

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/**
 * Runs the work and replaces any error that isn't a BackupError.
 *
 * @throws BackupError whose message begins with the sentence, and whose cause is the original error
 */
export async function asBackupError<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof BackupError) throw cause;
    throw new BackupError(`${sentence}: ${textOf(cause)}`, { cause });
  }
}
