/** Milliseconds that a count is good for, unless it took long. */
const LIFETIME = 60_000;

/** By how many times longer than it took a count is good: at most a hundredth of the time goes into counting. */
const REST = 100;

/**
 * Counts no more often than is gentle. A count of nothing is one look into an index and made each time.
 *
 * @param count may take a second, of a million
 */
export function rememberCount(count: () => Promise<number>, now = () => performance.now()): () => Promise<number> {
  let known: Promise<number> = Promise.resolve(0);
  let goodUntil = -Infinity;
  const countAnew = async (): Promise<number> => {
    const start = now();
    const counted = await count();
    const end = now();
    goodUntil = counted === 0 ? -Infinity : end + Math.max(LIFETIME, REST * (end - start));
    return counted;
  };
  return () => {
    if (now() < goodUntil) return known;
    // Who asks meanwhile gets the same.
    goodUntil = Infinity;
    known = countAnew().catch((error: unknown) => {
      goodUntil = -Infinity;
      throw error;
    });
    return known;
  };
}
