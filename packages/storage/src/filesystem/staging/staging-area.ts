import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, isDirectory, requireDirectoryOrNothing } from '../disk/directories.ts';
import { succeeds, translateErrors, unavailable, unless } from '../disk/failures.ts';
import { hasLinks, linkOrCopy } from '../disk/hard-links.ts';
import { currentOwner, type StagingOwner } from './staging-owner.ts';
import { type OnFreed, sweep } from './sweep.ts';

/** The folder of unpublished bytes, in the root, so that it is on the same file system. */
const STAGING = '.staging';

/** An attempt fails only if another machine takes this process for dead and removes its directory. */
const ATTEMPTS = 16;

/** How files are created: only under a new name, following no link, with access for the service's own user only. */
const [NEW, PRIVATE] = ['wx+', 0o600] as const;

/** A file in the staging area, which the caller removes. */
export interface StagingFile {
  readonly path: string;
  /** Open for reading; the caller closes it. */
  readonly handle: FileHandle;
}

/**
 * Removes and closes the file, each even if the other fails. Not synced: after a power cut this process is dead, and a
 * file that came back is swept.
 */
export async function dropStagingFile({ path, handle }: StagingFile): Promise<void> {
  const ended = await Promise.allSettled([unless(['ENOENT'], unlink(path), undefined), handle.close()]);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/**
 * `{root}/.staging/{owner}/`: staged bytes, in a directory of the process that stages them, so that others see whose
 * they are and whether it still lives. A process's storages over one root share it.
 */
export class StagingArea {
  /**
   * Whether the process's own directory existed, and was no link, when it was last needed; another machine may remove
   * it.
   */
  #isMade = false;

  private constructor(
    private readonly path: string,
    private readonly ownPath: string,
    private readonly owner: StagingOwner | null,
  ) {}

  /** @throws Error when something other than a directory is in its place */
  static async open(root: string): Promise<StagingArea> {
    const path = join(root, STAGING);
    await ensureDirectory(path);
    await requireDirectoryOrNothing(path);
    const { owner, name } = await currentOwner();
    return new StagingArea(path, join(path, name), owner);
  }

  /**
   * Checks that the area exists: an empty mount point isn't a storage without files.
   *
   * @throws Refusal `unavailable` when it doesn't
   */
  async requirePresent(): Promise<void> {
    const present = await translateErrors(() => isDirectory(this.path));
    if (!present) throw unavailable(new Error(`${this.path} is gone.`));
  }

  /**
   * A new file that only the service's own user can read, under a random name; open for writing, too.
   *
   * @throws Refusal `unavailable`
   */
  createFile(): Promise<StagingFile> {
    return this.#make(async (path) => ({ path, handle: await open(path, NEW, PRIVATE) }));
  }

  /**
   * The same with these bytes, made by one call of the file system. Not synced; leaves no file when it throws.
   *
   * @returns its path
   * @throws Refusal `unavailable`
   */
  writeFile(bytes: Uint8Array): Promise<string> {
    return this.#make(async (path) => {
      try {
        await writeFile(path, bytes, { flag: NEW, mode: PRIVATE });
        return path;
      } catch (error) {
        // The caller needs the first error.
        await Promise.allSettled([unlink(path)]);
        throw error;
      }
    });
  }

  /**
   * Gives a file of the same file system a further name in this process's own directory, so that it stays until the
   * caller is done with it, even if its other names are removed.
   *
   * @returns null when the file is gone, or, as in {@link createFile}, the directory: the caller looks again
   * @throws Refusal `unavailable`
   */
  linkFile(file: string): Promise<StagingFile | null> {
    return translateErrors(async () => {
      const path = await this.#newPath();
      if (!(await succeeds(linkOrCopy(file, path), ['ENOENT']))) {
        this.#isMade = false;
        return null;
      }
      try {
        return { path, handle: await open(path, constants.O_RDONLY | constants.O_NOFOLLOW) };
      } catch (error) {
        await Promise.allSettled([unlink(path)]);
        throw error;
      }
    });
  }

  /** Whether its file system has hard links. @throws Refusal `unavailable` */
  async hasLinks(): Promise<boolean> {
    const { path, handle } = await this.createFile();
    try {
      return await translateErrors(() => hasLinks(path));
    } finally {
      await Promise.allSettled([handle.close(), unlink(path)]);
    }
  }

  /** Makes a file under a new name; once more where the own directory is gone. */
  #make<T>(file: (path: string) => Promise<T>): Promise<T> {
    return translateErrors(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const creation = file(await this.#newPath());
        const made = await (attempt < ATTEMPTS ? unless(['ENOENT'], creation, null) : creation);
        if (made !== null) return made;
        this.#isMade = false;
      }
    });
  }

  async #newPath(): Promise<string> {
    if (!this.#isMade) {
      await ensureDirectory(this.ownPath);
      await requireDirectoryOrNothing(this.ownPath);
      this.#isMade = true;
    }
    return join(this.ownPath, randomUUID());
  }

  /**
   * Removes staged bytes that nobody will publish ({@link sweep}).
   *
   * @throws Refusal `unavailable`
   */
  sweep(before: number, onFreed?: OnFreed): Promise<number> {
    return translateErrors(() => sweep(this.path, before, this.owner, onFreed));
  }
}
