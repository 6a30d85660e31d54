import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, isDirectory, refuseOther } from './directories.ts';
import { reaching, unless } from './failures.ts';
import { type Run, thisRun } from './run.ts';
import { sweep } from './sweep.ts';

/** Bytes not published yet. In the root, so that it is on the file system which they are published to. */
const STAGING = '.staging';

/** Each attempt is lost only to another machine that takes this run for a dead one, and its directory away. */
const ATTEMPTS = 16;

export interface NewFile {
  readonly path: string;
  /** Open for reading and writing; the caller closes it. */
  readonly handle: FileHandle;
}

/**
 * `{root}/.staging/{run}/`: where bytes wait, in a directory of the process that stages them, so that others see whose
 * they are and whether it still lives. A process's storages over one root share it.
 */
export class StagingArea {
  private constructor(
    private readonly path: string,
    private readonly ownPath: string,
    private readonly run: Run | null,
  ) {}

  /** @throws Error when something else than a directory stands in its place */
  static async open(root: string): Promise<StagingArea> {
    const path = join(root, STAGING);
    await ensureDirectory(path);
    await refuseOther(path);
    const { run, name } = await thisRun();
    return new StagingArea(path, join(path, name), run);
  }

  /** Whether it is still there. */
  isPresent(): Promise<boolean> {
    return isDirectory(this.path);
  }

  /**
   * A new file that only the service's own user can read, under a name that nobody knows.
   * @throws Refusal `unavailable`
   */
  createFile(): Promise<NewFile> {
    return reaching(async () => {
      for (let attempt = 1; ; attempt += 1) {
        await ensureDirectory(this.ownPath);
        await refuseOther(this.ownPath);
        const path = join(this.ownPath, randomUUID());
        // `x` refuses a name that is taken and follows no link.
        const creation = open(path, 'wx+', 0o600);
        const handle = await (attempt < ATTEMPTS ? unless(['ENOENT'], creation, null) : creation);
        if (handle) return { path, handle };
      }
    });
  }

  /**
   * Drops what was staged and nobody will publish ({@link sweep}).
   * @throws Refusal `unavailable`
   */
  sweep(before: number): Promise<number> {
    return reaching(() => sweep(this.path, before, this.run));
  }
}
