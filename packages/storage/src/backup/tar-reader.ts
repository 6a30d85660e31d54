import { createReadStream } from 'node:fs';
import { BackupError, type BackupMember } from '@postshelf/domain';
import { extract } from 'tar-stream';
import { bytesOf } from './bytes-of.ts';
import { hashOf } from './pax.ts';

/**
 * The files of a backup that was written by {@link writeTar}, as they come.
 *
 * @throws BackupError when the file can't be read, is cut off within a member, or is no tar of files
 */
export async function* readTar(path: string): AsyncGenerator<BackupMember> {
  const file = createReadStream(path);
  const members = extract();
  file.on('error', (error) => members.destroy(error));
  file.pipe(members);
  try {
    for await (const member of members) {
      const { name, size, type } = member.header;
      if (type !== 'file') throw new BackupError(`${path} holds ${name}, which is no file: it is no backup.`);
      yield { name, size, sha256: hashOf(member.header.pax), body: readable(path, bytesOf(member)) };
    }
  } catch (error) {
    throw asCallersSee(path, error);
  } finally {
    file.destroy();
    members.destroy();
  }
}

async function* readable(path: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asCallersSee(path, error);
  }
}

const asCallersSee = (path: string, cause: unknown): unknown =>
  cause instanceof BackupError
    ? cause
    : new BackupError(`${path} cannot be read as a backup: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
