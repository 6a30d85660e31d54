/** Does something with each, so many at once. The first failure ends it, once what is under way has ended. */
export async function atOnce<T>(all: Iterable<T>, limit: number, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all].reverse();
  const failures: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined && failures.length === 0; next = waiting.pop()) {
      await work(next).catch((cause: unknown) => failures.push(cause));
    }
  };
  await Promise.all(Array.from({ length: limit }, line));
  if (failures.length > 0) throw failures[0];
}
