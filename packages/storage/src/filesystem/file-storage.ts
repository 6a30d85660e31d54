import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ListedObject, ObjectStorage, StagedObject, StoredObject } from '@postshelf/domain';
import { confine } from './confine.ts';
import { ensureDirectory, ensureRoot, isDirectory } from './directories.ts';
import { asCallersSee, reaching, unavailable } from './failures.ts';
import { lookUp } from './look-up.ts';
import { createFile, receive } from './receive.ts';
import { removeFile } from './remove.ts';
import { StagedFile } from './staged-file.ts';
import { sweep, walk } from './walk.ts';

/** Bytes not published yet. In the root, so that it is on the file system which they are published to. */
const STAGING = '.staging';

/** One block of a common file system: too much to be squeezed in beside the file's own record. */
const PROBE_BYTES = 4096;

/**
 * The objects in a directory: `{root}/{workspace}/{id}/{name}`, and what is on its way to them in `{root}/.staging`.
 * Any number of processes may share it. Needs hard links (ext4, XFS, Btrfs, ZFS, APFS, NFS; not FAT).
 *
 * @param root made, for the service's own user only, when it is missing
 * @throws the operating system's error when it can't be made
 */
export async function openFileStorage(root: string): Promise<ObjectStorage> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  const staging = join(absolute, STAGING);
  await ensureDirectory(staging);
  if (!(await isDirectory(staging))) throw new Error(`${staging} must be a directory.`);
  return new FileStorage(absolute, staging);
}

class FileStorage implements ObjectStorage {
  constructor(
    private readonly root: string,
    private readonly staging: string,
  ) {}

  async stage(body: AsyncIterable<Uint8Array>, options: { readonly limit: number }): Promise<StagedObject> {
    return new StagedFile(this.root, await receive(this.staging, body, options.limit));
  }

  /**
   * The body is a `Blob` of the path, which Bun opens when reading begins, closes when it ends, and hands to
   * sendfile(2) in a response. So an object that is opened and never read holds no file descriptor, and one that is
   * being read stays whole while it is removed; reading that begins after the removal fails with ENOENT.
   */
  async open(key: string): Promise<StoredObject | null> {
    const path = confine(this.root, key);
    return reaching(async () => {
      const found = await lookUp(path);
      if (!found) {
        await this.#requirePresent();
        return null;
      }
      const file = Bun.file(path, { type: 'application/octet-stream' });
      return {
        size: found.size,
        body: (range) => (range ? file.slice(range.start, range.end + 1, file.type) : file),
      };
    });
  }

  async remove(key: string): Promise<void> {
    const path = confine(this.root, key);
    await this.#requirePresent();
    await reaching(() => removeFile(path));
  }

  async *list(): AsyncGenerator<ListedObject> {
    try {
      yield* walk(this.root);
    } catch (error) {
      throw asCallersSee(error);
    }
  }

  async sweepStaging(before: number): Promise<number> {
    return reaching(() => sweep(this.staging, before));
  }

  async check(): Promise<void> {
    const path = join(this.staging, randomUUID());
    try {
      const probe = await createFile(path);
      try {
        await probe.write(new Uint8Array(PROBE_BYTES));
      } finally {
        await Promise.all([probe.close(), unlink(path)]);
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** An empty mount point isn't a storage without objects. */
  async #requirePresent(): Promise<void> {
    const present = await reaching(() => isDirectory(this.staging));
    if (!present) throw unavailable(new Error(`${this.staging} is gone.`));
  }
}
