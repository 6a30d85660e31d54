/** Minimum milliseconds for which a count is reused. */
const LIFETIME = 60_000;

/** A count is reused for this many times as long as counting took, so that counting takes about 1% of the time. */
const LIFETIME_FACTOR = 100;

const TIMEOUT = 200;

/**
 * Caches a count that may be expensive. A count of 0 is cheap, and isn't cached.
 *
 * @param count a function that counts, which may take minutes
 * @returns a function that returns a recent count; null while the first count is still running
 */
export function rememberCount(count: () => Promise<number>): () => Promise<number | null> {
  let known: number | null = null;
  let goodUntil = -Infinity;
  let counting: Promise<number> | null = null;
  const recount = async (): Promise<number> => {
    const start = performance.now();
    try {
      known = await count();
      const end = performance.now();
      if (known > 0) goodUntil = end + Math.max(LIFETIME, LIFETIME_FACTOR * (end - start));
      return known;
    } finally {
      counting = null;
    }
  };
  return () => {
    if (performance.now() < goodUntil) return Promise.resolve(known);
    counting ??= recount();
    return Promise.race([counting, Bun.sleep(TIMEOUT).then(() => known)]);
  };
}
