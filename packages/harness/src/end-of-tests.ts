// Loaded before all tests (bunfig.toml), so that what is begun here outlives files of tests.
import { afterAll } from 'bun:test';

const actions: (() => unknown)[] = [];

/** Does something when the last file of this process's tests has ended. */
export const atEndOfTests = (action: () => unknown): void => void actions.push(action);

afterAll(async () => {
  for (const action of actions.splice(0).reverse()) await action();
  // Bun's test runner doesn't tell it, and those of libraries wait for it too.
  process.emit('exit', 0);
});
