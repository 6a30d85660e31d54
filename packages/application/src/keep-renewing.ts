/** Number of renewals per lease; more than one, so that a single failed query doesn't lose the lease. */
const RENEWALS = 3;

/**
 * Renews a lease until the returned function is called. That function resolves once no renewal is in progress. Failures
 * are ignored: a holder that lost its lease finds out before the next write that matters.
 *
 * @param leaseTime milliseconds that the lease lasts from each renewal
 */
export function keepRenewing(leaseTime: number, renewOnce: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = Promise.allSettled([renewOnce()]).then(() => {
        if (!isStopped) schedule();
      });
    }, leaseTime / RENEWALS);
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
