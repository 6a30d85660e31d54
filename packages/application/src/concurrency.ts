/**
 * Runs `work` for each item, at most `limit` at once, taking each when its work can begin. After the first error no
 * more begins; it is thrown once all has ended.
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
