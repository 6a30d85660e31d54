/**
 * Runs `work` for each item, for at most `limit` items at a time. Reads an item only when its work can start. After the
 * first error, no more work starts; the error is thrown once all work in progress has ended.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const errors: unknown[] = [];
  const run = async (): Promise<void> => {
    while (errors.length === 0) {
      const next = await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: limit }, () => run().catch((error: unknown) => errors.push(error))));
  await iterator.return?.();
  if (errors.length > 0) throw errors[0];
}
