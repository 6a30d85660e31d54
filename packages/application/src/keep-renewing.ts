/** Number of renewals per lease; more than one, so that a single failed query doesn't lose the lease. */
const RENEWALS = 3;

/** Number of renewals per lease that follow failures, which may have taken much of the lease's time. */
const RETRIES = 30;

/**
 * Renews a lease until the returned function is called. That function resolves once no renewal is in progress. Failures
 * are ignored: a holder that lost its lease finds out before the next write that matters.
 *
 * @param leaseTime milliseconds that the lease lasts from the beginning of each renewal
 */
export function keepRenewing(leaseTime: number, renewOnce: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const renewAfter = (delay: number): void => {
    timer = setTimeout(() => {
      const start = performance.now();
      running = Promise.allSettled([renewOnce()]).then(([{ status }]) => {
        if (isStopped) return;
        const rest = status === 'fulfilled' ? leaseTime / RENEWALS - (performance.now() - start) : 0;
        renewAfter(Math.max(rest, leaseTime / RETRIES));
      });
    }, delay);
  };
  renewAfter(leaseTime / RENEWALS);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
