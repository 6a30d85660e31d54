// Prints the progress of a test run and the time left, which is estimated from the number of tests in the last whole
// run.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds between two lines. */
const INTERVAL = 30_000;

/**
 * Prints a line every half minute.
 *
 * @param folder the folder in which the number of tests is stored for the next run
 * @returns `environment` and `stop`. `environment` is for the processes that run tests: with it they append a byte to a
 *   file for each finished test. `stop` must be called at the end, with the total number of tests.
 */
export function showProgress(folder) {
  const [counted, last] = [join(folder, 'tests-done'), join(folder, 'tests-of-last-run')];
  writeFileSync(counted, '');
  const all = existsSync(last) ? Number(readFileSync(last, 'utf8')) : null;
  const began = Date.now();
  const timer = setInterval(() => {
    console.log(`▸ ${progressOf(statSync(counted).size, all, Date.now() - began)}`);
  }, INTERVAL);
  return {
    environment: { POSTSHELF_TESTS_DONE: counted },
    stop(tests) {
      clearInterval(timer);
      writeFileSync(last, String(tests));
    },
  };
}

function progressOf(done, all, passed) {
  const minutes = (milliseconds) => `${Math.max(1, Math.round(milliseconds / 60_000))} min`;
  const count = (tests) => tests.toLocaleString('en-US');
  if (all === null || done === 0 || done >= all) return `${count(done)} tests, ${minutes(passed)}`;
  return `${count(done)} of some ${count(all)} tests, ${minutes(passed)}; ${minutes((passed * (all - done)) / done)} left`;
}
