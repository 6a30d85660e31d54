import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, scratchFolder } from '../../support/server.ts';

/** A shell script that replaces ffmpeg. It prints a version, or runs the lines that a test has set. */
export class ScriptedFfmpeg {
  readonly #folder = scratchFolder();
  readonly path = join(this.#folder, 'ffmpeg');
  readonly #script = join(this.#folder, 'script');

  constructor() {
    this.does('exit 1');
    const lines = ['#!/bin/sh', 'case "$*" in *-version) echo "ffmpeg version 9.9"; exit 0;; esac'];
    writeFileSync(this.path, [...lines, `. '${this.#script}'`, ''].join('\n'));
    chmodSync(this.path, 0o700);
  }

  /**
   * Sets the lines that the script runs from now on. Lines that start a process should pass it `$0`, the script's path,
   * as an argument, so that {@link running} lists it.
   */
  does(...lines: readonly string[]): void {
    // Replaced atomically: a process that starts meanwhile reads either the old lines or the new ones.
    writeFileSync(`${this.#script}.new`, [...lines, ''].join('\n'));
    renameSync(`${this.#script}.new`, this.#script);
  }

  /** The command lines of the script's running processes, except for zombies. */
  running(): string[] {
    return readdirSync('/proc').flatMap((pid) => {
      const words = /^\d+$/.test(pid) ? wordsOf(pid) : '';
      return words.includes(this.path) ? [words] : [];
    });
  }

  remove(): void {
    removeFolder(this.#folder);
  }
}

/** The command line of a process. It is empty for a zombie, and for a process that has ended since it was listed. */
function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}
