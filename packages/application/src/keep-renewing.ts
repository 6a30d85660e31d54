/** Renewals per lease time: more than one, so that a single failed query doesn't lose the lease. */
const RENEWALS = 3;

/**
 * Renews a lease until the returned function is called. Failures are ignored: the next renewal tries again, and a holder
 * that lost its lease finds out before its next write that others would notice.
 *
 * @param leaseTime milliseconds that the lease lasts from each renewal
 * @returns stops the renewals, and resolves when none is in progress
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
