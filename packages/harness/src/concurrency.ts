/**
 * Runs work for each item, at most `limit` concurrently. After the first failure no more work is started; the error is
 * thrown once running work has ended.
 */
export async function forEachConcurrently<T>(
  all: Iterable<T>,
  limit: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const iterator = all[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = iterator.next();
      if (next.done) return;
      await work(next.value).catch((cause: unknown) => failures.push(cause));
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  if (failures.length > 0) throw failures[0];
}

export const repeatConcurrently = (limit: number, times: number, work: () => Promise<unknown>): Promise<void> =>
  forEachConcurrently(Array(times).keys(), limit, work);
