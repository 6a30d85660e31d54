import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { BackupError, type BackupMember } from '@postshelf/domain';
import { extract } from 'tar-stream';
import { bytesOf, hashOf } from './tar-format.ts';

/**
 * Reads the files of a backup in order.
 *
 * @throws BackupError when the file can't be read, is truncated, isn't a tar, or contains anything other than files
 */
export const readTar = (path: string): AsyncGenerator<BackupMember> => readTarFrom(path, () => createReadStream(path));

/**
 * Like {@link readTar}, for a stream, which is destroyed at the end.
 *
 * @param open called once, when the first file is requested
 */
export async function* readTarFrom(name: string, open: () => Readable): AsyncGenerator<BackupMember> {
  const file = open();
  const members = extract();
  file.on('error', (error) => members.destroy(error));
  file.pipe(members);
  try {
    for await (const member of members) {
      const { name: memberName, size, type } = member.header;
      if (type !== 'file')
        throw new BackupError(`${name} is not a backup: it contains ${memberName}, which is not a file.`);
      yield { name: memberName, size, sha256: hashOf(member.header.pax), body: readable(name, bytesOf(member)) };
    }
  } catch (error) {
    throw toBackupError(name, error);
  } finally {
    file.destroy();
    members.destroy();
  }
}

async function* readable(name: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toBackupError(name, error);
  }
}

const toBackupError = (name: string, cause: unknown): unknown =>
  cause instanceof BackupError
    ? cause
    : new BackupError(`${name} cannot be read as a backup: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
