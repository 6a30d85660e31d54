/**
 * Runs `work` for each item, up to `limit` concurrently, and pulls an item only when it is processed. The first error
 * stops it, and is thrown once all running work has ended.
 */
export async function forEachConcurrently<T>(
  items: AsyncGenerator<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const run = async (): Promise<void> => {
    while (errors.length === 0) {
      const next = await items.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: limit }, () => run().catch((error: unknown) => errors.push(error))));
  await items.return(undefined);
  if (errors.length > 0) throw errors[0];
}
