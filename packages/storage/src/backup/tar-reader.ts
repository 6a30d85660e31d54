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
  let readError: Error | undefined;
  file.on('error', (error) => {
    readError = error;
    members.destroy(error);
  });
  file.pipe(members);
  // If the file can't be read, its members fail with errors of their own.
  const explain = (error: unknown): unknown => toBackupError(name, readError ?? error);
  try {
    for await (const member of members) {
      const { name: memberName, size, type } = member.header;
      if (type !== 'file')
        throw new BackupError(`${name} is not a backup: it contains ${memberName}, which is not a file.`);
      yield { name: memberName, size, sha256: hashOf(member.header.pax), body: readable(bytesOf(member), explain) };
    }
  } catch (error) {
    throw explain(error);
  } finally {
    file.destroy();
    members.destroy();
  }
}

async function* readable(
  body: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explain(error);
  }
}

/**
 * Matches the errors of tar-stream if the tar ends too early: between two files or in a header, or within the bytes of a
 * file.
 */
const TRUNCATED = /^(?:Unexpected end of data|Stream was destroyed)$/;

function toBackupError(name: string, cause: unknown): unknown {
  if (cause instanceof BackupError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const reason = TRUNCATED.test(message) ? 'it is truncated; copy it again, or use another backup' : message;
  return new BackupError(`${name} cannot be read as a backup: ${reason}`, { cause });
}
