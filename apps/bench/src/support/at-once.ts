/** Does the work so many times, so many at once. Throws the first error, after what was under way has ended. */
export async function atOnce(lanes: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun++ < times) await work();
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
