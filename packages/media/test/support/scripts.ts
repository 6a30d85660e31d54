import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test. Scripts leave empty folders there as marks, because they aren't allowed to write files. */
export class Playground implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async open(): Promise<Playground> {
    const playground = new Playground(await mkdtemp(join(tmpdir(), 'postshelf-test-')));
    await mkdir(playground.marksPath);
    return playground;
  }

  get marksPath(): string {
    return join(this.path, 'marks');
  }

  /** Returns the names of the marks that scripts have left. */
  async marks(): Promise<readonly string[]> {
    return readdir(this.marksPath);
  }

  /** Creates a shell script that replaces ffmpeg. In the script, `$MARKS` is the folder in which it leaves marks. */
  async script(...lines: readonly string[]): Promise<string> {
    const path = join(this.path, `script-${Bun.randomUUIDv7()}`);
    await Bun.write(path, ['#!/bin/sh', `MARKS='${this.marksPath}'`, ...lines, ''].join('\n'));
    await chmod(path, 0o700);
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

/** Whether the process is running and not a zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => null);
  const state = status?.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3);
  return state !== undefined && state !== 'Z' && state !== 'X';
}
