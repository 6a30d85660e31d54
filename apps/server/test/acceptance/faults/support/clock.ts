import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, type Settings, scratchFolder } from '../../support/server.ts';

/** Where Debian's package `faketime` puts what stands between a program and the clock; the folder names the machine. */
const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

/**
 * Whether processes can be given a clock of their own.
 *
 * @param skipped what remains untested without
 * @throws Error instead where `CI` is set: there it can be installed
 */
export function canSetClock(skipped: string): boolean {
  if (library !== undefined) return true;
  const message = `No libfaketime (apt-get install faketime). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
  return false;
}

/** The time of day of whatever is started with the settings, which jumps while that runs. Timers go on as they do. */
export class OtherClock {
  readonly #folder = scratchFolder();
  readonly #offset = join(this.#folder, 'offset');

  constructor() {
    this.jump(0);
  }

  get settings(): Settings {
    return {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#offset,
      FAKETIME_NO_CACHE: '1',
      // A clock that is set moves neither what timers go by nor the times that files have.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** @param seconds by which it is off from now on, ahead where positive */
  jump(seconds: number): void {
    writeFileSync(this.#offset, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  close(): void {
    removeFolder(this.#folder);
  }
}
