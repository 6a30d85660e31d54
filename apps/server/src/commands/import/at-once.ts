/**
 * Calls `work` for each item, with at most `most` calls running at a time. The next item is requested only when a call
 * can start.
 *
 * @throws the first error, once all running calls have ended
 */
export async function forEachAtOnce<T>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (errors.length === 0) {
      const next = await iterator.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const kept = (): Promise<void> => worker().catch((error: unknown) => void errors.push(error));
  await Promise.all(Array.from({ length: most }, kept));
  await iterator.return?.();
  if (errors.length > 0) throw errors[0];
}
