import { randomUUID } from 'node:crypto';
import { write } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BackupDestination, BackupError, type ExistingBackup } from '@postshelf/domain';
import { codeOf } from '../filesystem/disk/failures.ts';
import { asBackupError } from './failures.ts';
import { removeLeftovers } from './leftovers.ts';
import { type Sink, TarWriter } from './tar-writer.ts';

/** Milliseconds to wait before the next write to a non-blocking pipe that is full. */
const RETRY_DELAY = 10;

/** The base name of the database's copy and of the files next to it. */
const COPY = 'backup';

/**
 * Opens a destination that writes a backup to a descriptor, such as standard output.
 *
 * @param descriptor open for writing; stays open
 * @param name the destination's name in messages
 * @param folder where the temporary copy of the database is kept
 */
export function openStreamDestination(descriptor: number, name: string, folder: string): BackupDestination {
  return {
    path: null,
    copyPath: join(folder, `${COPY}.${randomUUID()}.copy`),
    async *existing(): AsyncGenerator<ExistingBackup> {
      yield* [];
    },
    async open() {
      await removeLeftovers(folder, (owner) => owner === COPY);
      return new TarWriter(sinkTo(descriptor, name));
    },
    remove: () => Promise.reject(new Error('A stream has no earlier backups to remove.')),
  };
}

const sinkTo = (descriptor: number, name: string): Sink => ({
  write: (bytes) =>
    asBackupError(`${name} cannot be written`, async () => {
      try {
        await writeAll(descriptor, bytes);
      } catch (cause) {
        if (codeOf(cause) !== 'EPIPE') throw cause;
        throw new BackupError(`${name} was closed by its reader before the backup was complete.`, { cause });
      }
    }),
  finish: async () => null,
  discard: async () => undefined,
});

const writeSome = promisify(write);

/** Writes all bytes: a single write(2) may write only some of them, or none (EAGAIN). */
async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    try {
      done += (await writeSome(descriptor, bytes, done, bytes.byteLength - done, null)).bytesWritten;
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      await wait(RETRY_DELAY);
    }
  }
}
