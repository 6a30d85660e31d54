/** Ends when every promise that only waits for others in memory is settled. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Ends once it is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await nextTurn();
}
