/**
 * Renews a lease at an interval. Failures are ignored here: the next renewal tries again, and whoever holds the lease finds
 * out before he does what another owner would notice.
 *
 * @param interval milliseconds
 * @returns ends it, and resolves when no renewal is under way
 */
export function renewEvery(interval: number, renewOnce: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = Promise.allSettled([renewOnce()]).then(() => {
        if (!isStopped) schedule();
      });
    }, interval);
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
