import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackupError, type BackupMember, type ObjectSource } from '@postshelf/domain';
import { isDirectoryOrLink } from '../filesystem/disk/directories.ts';
import { readFileStorage } from '../filesystem/objects/read-only.ts';
import { asBackupError } from './failures.ts';
import { readTar } from './tar-reader.ts';

const MEDIA = 'media/';

/**
 * Opens a read-only source of objects for repairing a storage: a backup with media, a folder with the layout of a file
 * storage, or a folder whose subfolder `media` has that layout.
 *
 * @throws BackupError when the path is none of these
 */
export async function openObjectSource(path: string): Promise<ObjectSource> {
  const found = await asBackupError(`${path} cannot be read`, () => stat(path));
  if (found.isDirectory()) {
    const inside = join(resolve(path), MEDIA);
    return folderSource(path, (await isDirectoryOrLink(inside)) ? inside : path);
  }
  if (found.isFile()) return tarSource(path);
  throw new BackupError(`${path} is neither a backup nor a folder.`);
}

const tarSource = (path: string): ObjectSource => ({
  name: path,
  async *objects(keys) {
    for await (const member of readTar(path)) {
      const key = member.name.startsWith(MEDIA) ? member.name.slice(MEDIA.length) : '';
      const body = member.body[Symbol.asyncIterator]();
      // The iterator has no `return`, so that a consumer that stops halfway through a file doesn't end the reading of
      // the tar.
      const lent = { [Symbol.asyncIterator]: () => ({ next: () => body.next() }) };
      if (keys.has(key)) yield { ...member, name: key, body: lent };
      while (!(await body.next()).done);
    }
  },
});

async function folderSource(name: string, root: string): Promise<ObjectSource> {
  const files = await asBackupError(`${name} cannot be read`, () => readFileStorage(root));
  return {
    name,
    async *objects(keys): AsyncGenerator<BackupMember> {
      for (const key of keys) {
        const object = await files.open(key).catch(unreadable);
        if (object === null) continue;
        const body = object.body();
        yield { name: key, size: object.size, sha256: null, body: body instanceof Blob ? body.stream() : body };
      }
    },
  };
}

/** Returns an object whose body throws this error when it is read. */
const unreadable = (error: unknown) => ({
  size: 0,
  async *body(): AsyncGenerator<Uint8Array> {
    yield* [];
    throw error;
  },
});
