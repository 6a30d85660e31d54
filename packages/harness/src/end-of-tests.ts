// Loaded before all tests (bunfig.toml), so that what is started here outlives individual test files.
import { afterAll } from 'bun:test';

const actions: (() => unknown)[] = [];

/** Runs an action after the last test file of this process. */
export const atEndOfTests = (action: () => unknown): void => void actions.push(action);

afterAll(async () => {
  for (const action of actions.splice(0).reverse()) await action();
  // Bun's test runner doesn't emit this event, but libraries wait for it too.
  process.emit('exit', 0);
});
