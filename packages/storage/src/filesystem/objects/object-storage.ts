import { constants } from 'node:fs';
import { access, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type {
  Body,
  FreeSpace,
  ListedObject,
  ObjectStorage,
  StagedObject,
  StageOptions,
  StoredObject,
} from '@postshelf/domain';
import { confine } from '../disk/confine.ts';
import { ensureRoot } from '../disk/directories.ts';
import { GONE, translateError, translateErrors, unavailable, unless } from '../disk/failures.ts';
import { diskFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { receive } from '../staging/receive.ts';
import { StagingArea } from '../staging/staging-area.ts';
import type { OnFreed } from '../staging/sweep.ts';
import { listObjects } from './list.ts';
import { lookUp, storedFile } from './look-up.ts';
import { removeFile } from './remove.ts';
import { stageBytes } from './staged-bytes.ts';
import { StagedFile } from './staged-file.ts';

/** One block of a common file system, too large to be stored inline in the inode. */
const PROBE_BYTES = 4096;

/**
 * The objects in a directory: `{root}/{workspace}/{id}/{name}`, and staged bytes in `{root}/.staging/{owner}`. Any
 * number of processes may share it. Needs hard links (ext4, XFS, Btrfs, ZFS, APFS, NFS; not FAT).
 *
 * @param root made, for the service's own user only, when it is missing
 * @param minFree bytes of its disk that it leaves free: `stage` then throws Refusal `storage_low`
 * @throws the operating system's error when it can't be made; Error when something else is in its place
 */
export async function openFileStorage(root: string, minFree = 0): Promise<ObjectStorage> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  return new FileStorage(absolute, await StagingArea.open(absolute), diskFreeSpace(absolute, minFree));
}

class FileStorage implements ObjectStorage {
  /** A directory in which a file couldn't be deleted, until one can be. */
  #refusedIn: readonly string[] = [];

  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly space: FreeSpace,
  ) {}

  async stage(body: Body, options: StageOptions): Promise<StagedObject> {
    if (body instanceof Uint8Array) return stageBytes(this.root, this.staging, this.space, body, options.limit);
    return new StagedFile(this.root, await receive(this.staging, whileSpaceIsFree(this.space, body), options));
  }

  async open(key: string): Promise<StoredObject | null> {
    const path = confine(this.root, key);
    return translateErrors(async () => {
      const found = await lookUp(path);
      if (!found) {
        await this.staging.requirePresent();
        return null;
      }
      return storedFile(path, found.size);
    });
  }

  async remove(key: string): Promise<void> {
    const path = confine(this.root, key);
    await this.staging.requirePresent();
    try {
      await translateErrors(() => removeFile(path));
    } catch (error) {
      // The item's directory, and that of its workspace.
      this.#refusedIn = [dirname(path), dirname(dirname(path))];
      throw error;
    }
  }

  async *list(): AsyncGenerator<ListedObject> {
    try {
      yield* listObjects(this.root);
    } catch (error) {
      throw translateError(error);
    }
  }

  async sweepStaging(before: number, onFreed?: OnFreed): Promise<number> {
    return this.staging.sweep(before, onFreed);
  }

  async check(): Promise<void> {
    try {
      const { path, handle } = await this.staging.createFile();
      try {
        await handle.write(new Uint8Array(PROBE_BYTES));
      } finally {
        await Promise.all([handle.close(), deleting(dirname(path), unlink(path))]);
      }
      for (const directory of [this.root, ...this.#refusedIn]) await this.#requireDeletion(directory);
      this.#refusedIn = [];
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Deleting an entry needs the right to write to its directory (unlink(2)); a directory that is gone needs none. */
  async #requireDeletion(directory: string): Promise<void> {
    const isRoot = directory === this.root;
    await deleting(
      directory,
      unless(isRoot ? [] : GONE, access(directory, constants.W_OK | constants.X_OK), undefined),
    );
  }
}

/** @throws Error that names the right which is missing */
async function deleting(directory: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Files cannot be deleted in ${directory} (${reason})`, { cause });
  }
}
