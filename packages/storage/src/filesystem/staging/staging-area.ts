import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rmdir, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDirectory, makeDirectories } from '../disk/directories.ts';
import { codeOf, succeeds, translateErrors, unavailable, withFallback } from '../disk/failures.ts';
import { hasLinks, linkOrCopy } from '../disk/hard-links.ts';
import { discardAbandoned, type OnFreed } from './discard-abandoned.ts';

/**
 * The name of the area's directory. It is within the root, so that staged files are on the same file system as the
 * objects.
 */
const STAGING = '.staging';

/**
 * Number of attempts to create a file. An attempt fails only if the directory was just removed, by
 * {@link discardAbandoned} or because it was empty.
 */
const ATTEMPTS = 16;

/**
 * Flags and mode of a new file. Creating the file neither replaces an existing one nor follows a link. Only the
 * service's system account may use the file.
 */
const [NEW, PRIVATE] = ['wx+', 0o600] as const;

/** The name of this process's own directory. */
export const OWN = randomUUID();

/** Milliseconds between two heartbeats, well below {@link SILENCE}. */
const HEARTBEAT = 10_000;

const beating = new Set<string>();

/**
 * Updates the modification time of this process's directory until the directory is removed. The time shows that the
 * process is alive.
 */
function keepAlive(path: string): void {
  if (beating.has(path)) return;
  beating.add(path);
  const timer = setInterval(async () => {
    const isGone = await rmdir(path).then(
      () => true,
      (error: unknown) => codeOf(error) === 'ENOENT',
    );
    const now = new Date();
    if (!isGone) return void (await Promise.allSettled([utimes(path, now, now)]));
    clearInterval(timer);
    beating.delete(path);
  }, HEARTBEAT);
  timer.unref();
}

export interface StagingFile {
  readonly path: string;
  /** The open file, which the caller must close. */
  readonly handle: FileHandle;
}

/**
 * Removes the file and closes it, even if one of the two fails. The removal isn't synced: a file that reappears after a
 * power cut is discarded as abandoned.
 */
export async function discardStagingFile({ path, handle }: StagingFile): Promise<void> {
  const ended = await Promise.allSettled([withFallback(['ENOENT'], unlink(path), undefined), handle.close()]);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/**
 * Holds the staged bytes of this process, in `{root}/.staging/{process}/`. The directory's modification time shows that
 * the process is alive. All storages of a process with the same root share the directory.
 */
export class StagingArea {
  #isMade = false;

  private constructor(
    private readonly path: string,
    private readonly ownPath: string,
  ) {}

  /** @throws Error when the path exists and isn't a directory */
  static async open(root: string): Promise<StagingArea> {
    const path = join(root, STAGING);
    await makeDirectories([path]);
    return new StagingArea(path, join(path, OWN));
  }

  /**
   * Checks that the area exists. Otherwise an empty mount point would look like a storage without files.
   *
   * @throws Refusal `unavailable` when the area is missing
   */
  async requirePresent(): Promise<void> {
    const present = await translateErrors(() => isDirectory(this.path));
    if (!present) throw unavailable(new Error(`${this.path} is missing: mount its disk, or create the folder again.`));
  }

  /**
   * Creates a file with a random name. Only the service's system account may use the file.
   *
   * @throws Refusal `unavailable`
   */
  createFile(): Promise<StagingFile> {
    return this.#make(async (path) => ({ path, handle: await open(path, NEW, PRIVATE) }));
  }

  /**
   * Creates a file with these bytes, without a sync. Leaves no file when it throws.
   *
   * @returns the file's path
   * @throws Refusal `unavailable`
   */
  writeFile(bytes: Uint8Array): Promise<string> {
    return this.#make(async (path) => {
      try {
        await writeFile(path, bytes, { flag: NEW, mode: PRIVATE });
        return path;
      } catch (error) {
        await Promise.allSettled([unlink(path)]);
        throw error;
      }
    });
  }

  /**
   * Gives a file a second name in this process's directory, so that its bytes remain until the caller removes that
   * name.
   *
   * @returns null when the file no longer exists: the caller should look it up again
   * @throws Refusal `unavailable`
   */
  linkFile(file: string): Promise<StagingFile | null> {
    return translateErrors(async () => {
      // If this process's own directory was removed, the second attempt creates it again.
      const path = (await this.#linkOnce(file)) ?? (await this.#linkOnce(file));
      if (path === null) return null;
      try {
        return { path, handle: await open(path, constants.O_RDONLY | constants.O_NOFOLLOW) };
      } catch (error) {
        await Promise.allSettled([unlink(path)]);
        throw error;
      }
    });
  }

  /** @returns null when the file or the directory no longer exists */
  async #linkOnce(file: string): Promise<string | null> {
    const path = await this.#newPath();
    if (await succeeds(linkOrCopy(file, path), ['ENOENT'])) return path;
    this.#isMade = false;
    return null;
  }

  /** @throws Refusal `unavailable` */
  async hasLinks(): Promise<boolean> {
    const { path, handle } = await this.createFile();
    try {
      return await translateErrors(() => hasLinks(path));
    } finally {
      await Promise.allSettled([handle.close(), unlink(path)]);
    }
  }

  /** Creates a file in this process's directory, and tries again if the directory was removed in the meantime. */
  #make<T>(file: (path: string) => Promise<T>): Promise<T> {
    return translateErrors(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const creation = file(await this.#newPath());
        const made = await (attempt < ATTEMPTS ? withFallback(['ENOENT'], creation, null) : creation);
        if (made !== null) return made;
        this.#isMade = false;
      }
    });
  }

  async #newPath(): Promise<string> {
    if (!this.#isMade) {
      await this.requirePresent();
      await makeDirectories([this.ownPath]);
      keepAlive(this.ownPath);
      this.#isMade = true;
    }
    return join(this.ownPath, randomUUID());
  }

  /**
   * Discards the abandoned files of the area, see the function {@link discardAbandoned}.
   *
   * @throws Refusal `unavailable`
   */
  discardAbandoned(before: number, onFreed?: OnFreed): Promise<number> {
    return translateErrors(() => discardAbandoned(this.path, OWN, before, onFreed));
  }
}
