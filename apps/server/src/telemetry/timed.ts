/** What work gave, and how long it took, in seconds to the millisecond. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: Math.round(performance.now() - start) / 1000 };
}
