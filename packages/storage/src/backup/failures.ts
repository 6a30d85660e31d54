import { BackupError } from '@postshelf/domain';

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** @throws BackupError in place of any other error, with a message that begins with the sentence */
export async function asBackupError<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof BackupError) throw cause;
    throw new BackupError(`${sentence}: ${textOf(cause)}`, { cause });
  }
}
