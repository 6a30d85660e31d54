/** Milliseconds that a count is good for, unless it took long. */
const LIFETIME = 60_000;

/** A count is good for so many times as long as it took: at most a hundredth of the time goes into counting. */
const LIFETIME_FACTOR = 100;

/** Milliseconds that a caller waits for a new count before it gets the last one. */
const TIMEOUT = 200;

/**
 * Remembers a count that may be expensive. A count of 0 is cheap, and made again each time.
 *
 * @param count may take minutes
 * @returns a function that gives the last count; null before the first
 */
export function rememberCount(count: () => Promise<number>): () => Promise<number | null> {
  let known: number | null = null;
  let goodUntil = -Infinity;
  let counting: Promise<number> | null = null;
  const countAnew = async (): Promise<number> => {
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
    counting ??= countAnew();
    return Promise.race([counting, Bun.sleep(TIMEOUT).then(() => known)]);
  };
}
