/** Milliseconds that a count is good for, unless it took long. */
const LIFETIME = 60_000;

/** By how many times longer than it took a count is good: at most a hundredth of the time goes into counting. */
const REST = 100;

/** Milliseconds that one who asks waits for a new count. */
const PATIENCE = 200;

/**
 * Counts no more often than is gentle, and lets nobody wait who asks meanwhile. A count of nothing is one look into an index
 * and made each time.
 *
 * @param count may take minutes, of very many
 * @returns answers the last count; null before the first
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
      if (known > 0) goodUntil = end + Math.max(LIFETIME, REST * (end - start));
      return known;
    } finally {
      counting = null;
    }
  };
  return () => {
    if (performance.now() < goodUntil) return Promise.resolve(known);
    counting ??= countAnew();
    return Promise.race([counting, Bun.sleep(PATIENCE).then(() => known)]);
  };
}
