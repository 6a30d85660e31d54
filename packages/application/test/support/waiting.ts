/** Resolves when all promises that only wait for others in memory are settled. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds: the time of a test. A wait that nobody awaits any more would turn the event loop for ever. */
const MAX_WAIT = 60_000;

/** Resolves once the condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${MAX_WAIT} ms in vain.`);
    await nextTurn();
  }
}
