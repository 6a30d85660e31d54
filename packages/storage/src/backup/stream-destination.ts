import { randomUUID } from 'node:crypto';
import { write } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BackupDestination, ExistingBackup } from '@postshelf/domain';
import { codeOf } from '../filesystem/disk/failures.ts';
import { asBackupError } from './failures.ts';
import { removeLeftovers } from './leftovers.ts';
import { type Sink, TarWriter } from './tar-writer.ts';

/** Milliseconds until writing is tried again, where a full pipe says so instead of blocking. */
const RETRY_DELAY = 10;

/** Name of the copy of the database, and the start of the names beside it. */
const COPY = 'backup';

/**
 * Streams a backup as it is written.
 *
 * @param descriptor open for writing; it stays open
 * @param name what it is called in messages
 * @param folder where the copy of the database is kept meanwhile
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
    remove: () => Promise.reject(new Error('Nothing stands where a backup is sent away.')),
  };
}

const sinkTo = (descriptor: number, name: string): Sink => ({
  write: (bytes) => asBackupError(`${name} cannot be written`, () => writeAll(descriptor, bytes)),
  finish: async () => null,
  discard: async () => undefined,
});

const writeSome = promisify(write);

/** write(2) may write fewer bytes than it was given, and none where the descriptor is non-blocking. */
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
