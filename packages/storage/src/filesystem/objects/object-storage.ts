import { constants } from 'node:fs';
import { access, statfs, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type {
  FreeSpace,
  ListedObject,
  ObjectStorage,
  StagedObject,
  StageOptions,
  StoredObject,
} from '@postshelf/domain';
import { staged } from '../../objects/staged.ts';
import { confine } from '../disk/confine.ts';
import { ensureRoot } from '../disk/directories.ts';
import { GONE, translateError, translateErrors, unavailable, withFallback } from '../disk/failures.ts';
import { diskFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { gather, MAX_GATHERED_BYTES } from '../staging/gather.ts';
import { receive } from '../staging/receive.ts';
import { StagingArea } from '../staging/staging-area.ts';
import type { OnFreed } from '../staging/sweep.ts';
import { BytesInFile } from './bytes-in-file.ts';
import { stageBytes } from './bytes-in-memory.ts';
import { listObjects } from './list.ts';
import { lookUp, storedFile } from './look-up.ts';
import { removeFile } from './remove.ts';

/** Bytes of a probe: one block, too large to be kept in the inode. */
const PROBE_BYTES = 4096;

/**
 * Opens a storage of objects in a directory: `{root}/{workspace}/{id}/{name}`, with staged bytes in
 * `{root}/.staging/{owner}`. Any number of processes may share it. Full guarantees need hard links; `hard-links.ts`
 * says what holds without them.
 *
 * @param root created, for the service's user only, when it is missing
 * @param minFree bytes of its disk to leave free; beyond that `stage` throws Refusal `storage_low`
 * @param gathered maximum size of a body that is held in memory; negative to hold none
 * @throws the operating system's error when the directory can't be created; Error when the path isn't a directory
 */
export async function openFileStorage(
  root: string,
  minFree = 0,
  gathered = MAX_GATHERED_BYTES,
): Promise<ObjectStorage> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  return new FileStorage(absolute, await StagingArea.open(absolute), diskFreeSpace(absolute, minFree), gathered);
}

class FileStorage implements ObjectStorage {
  #refusedIn: readonly string[] = [];

  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly space: FreeSpace,
    private readonly gathered: number,
  ) {}

  async stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedObject> {
    const gathered = await gather(body, Math.min(this.gathered, options.limit));
    return staged(
      gathered instanceof Uint8Array
        ? await stageBytes(this.root, this.staging, this.space, gathered)
        : new BytesInFile(this.root, await receive(this.staging, whileSpaceIsFree(this.space, gathered), options)),
    );
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
      // The directories of the item and of its workspace.
      this.#refusedIn = [dirname(path), dirname(dirname(path))];
      throw error;
    }
  }

  /** Nothing to do: the directory is only read through the item's row. */
  async hide(): Promise<void> {}

  async show(): Promise<void> {}

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
      await requireInodes(this.root);
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

  /**
   * Checks that files can be deleted, which needs the right to write to the directory. A directory that no longer
   * exists passes, except the root.
   */
  async #requireDeletion(directory: string): Promise<void> {
    const isRoot = directory === this.root;
    await deleting(
      directory,
      withFallback(isRoot ? [] : GONE, access(directory, constants.W_OK | constants.X_OK), undefined),
    );
  }
}

/** Minimum number of free inodes, as uploads create folders and files. */
const MIN_INODES = 64;

/** @throws Error if the file system has too few left; some report no inodes at all */
async function requireInodes(root: string): Promise<void> {
  const { files, ffree } = await statfs(root);
  if (files === 0 || ffree >= MIN_INODES) return;
  throw new Error(
    `The disk of ${root} has ${ffree} of ${files} inodes left: remove files there, or make its file system larger (df -i)`,
  );
}

async function deleting(directory: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Files cannot be deleted in ${directory} (${reason})`, { cause });
  }
}
