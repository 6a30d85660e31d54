import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, type Settings, scratchFolder } from '../../support/server.ts';

/**
 * The path at which Debian's package `faketime` installs its library. The library's folder is named after the
 * architecture.
 */
const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

/**
 * Whether libfaketime is installed, so that tests can give a process its own system clock.
 *
 * @param skipped what remains untested without libfaketime
 * @throws Error if it isn't installed and `CI` is set, because CI must not skip these tests
 */
export function canSetClock(skipped: string): boolean {
  if (library !== undefined) return true;
  const message = `No libfaketime (apt-get install faketime). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
  return false;
}

/**
 * The system clock of all processes that are started with {@link settings}. It can jump while the processes run. By
 * default their timers aren't affected.
 *
 * @param timeItself whether the monotonic clock also jumps, so that running timers and waits end early
 */
export class OtherClock {
  readonly #folder = scratchFolder();
  readonly #offset = join(this.#folder, 'offset');

  constructor(private readonly timeItself = false) {
    this.jump(0);
  }

  get settings(): Settings {
    return {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#offset,
      FAKETIME_NO_CACHE: '1',
      // Setting a machine's clock changes neither the monotonic clock, which timers use, nor the times of files.
      ...(!this.timeItself && { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
      NO_FAKE_STAT: '1',
    };
  }

  /** @param seconds offset of the clock from now on; positive is ahead */
  jump(seconds: number): void {
    writeFileSync(this.#offset, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  close(): void {
    removeFolder(this.#folder);
  }
}
