// This module is loaded before all tests (bunfig.toml). It counts the tests that have ended (.dev/progress.mjs), and
// fails a test that waits while nothing makes progress. This replaces a time-out in seconds, which would also fail tests
// on a slow machine.

import { afterEach, beforeEach } from 'bun:test';
import { appendFileSync } from 'node:fs';
import { plugin } from 'bun';
import { hasFakeTimers } from './stopwatch.ts';
import { isWaiting, type Stopwatch, startStopwatch } from './until.ts';

/**
 * Maximum milliseconds of a stopwatch that a test may wait without `until` or `within`. The tests of this module set a
 * lower limit.
 */
const LIMIT = Number(process.env.POSTSHELF_TEST_LIMIT ?? 60_000);

/** Milliseconds between checks. */
const CHECK_INTERVAL = 1000;

/** Milliseconds after which Bun ends a test that never stops working. */
const LAST_RESORT = 1_200_000;

// Bun's default timeout of five seconds can't be changed in Bun's settings, and is reset for each test file. So every
// test file sets its own timeout.
const ownTimeout = `import { setDefaultTimeout as setOwnTimeout } from 'bun:test'; setOwnTimeout(${LAST_RESORT});`;
plugin({
  name: 'tests without time-outs',
  setup: (build) => {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      return { loader: 'ts', contents: `${ownTimeout} ${source}` };
    });
  },
});

let running = 0;
let started = 0;
beforeEach(() => {
  running += 1;
  started += 1;
});
afterEach(() => {
  running -= 1;
  if (process.env.POSTSHELF_TESTS_DONE) appendFileSync(process.env.POSTSHELF_TESTS_DONE, '.');
});

let watched: { readonly test: number; readonly stopwatch: Stopwatch } | undefined;

function checkProgress(): void {
  if (hasFakeTimers()) return;
  // A test that uses `until` or `within` has their limit instead.
  const isWatched = running > 0 && !isWaiting();
  if (!isWatched || watched?.test !== started) {
    watched?.stopwatch[Symbol.dispose]();
    watched = isWatched ? { test: started, stopwatch: startStopwatch(LIMIT / 5) } : undefined;
    return;
  }
  if (watched.stopwatch.elapsed() <= LIMIT) return;
  const seconds = Math.round(watched.stopwatch.passed() / 1000);
  watched.stopwatch[Symbol.dispose]();
  watched = undefined;
  // Bun fails the running test because of this rejection, and continues with the next one.
  void Promise.reject(new Error(`The test has waited for ${seconds} s, and nothing has moved for ${LIMIT / 1000} s.`));
}

// The interval has a second purpose: without it, Bun's event loop would use a whole processor while a test waits only
// for something unreferenced.
setInterval(checkProgress, CHECK_INTERVAL);
