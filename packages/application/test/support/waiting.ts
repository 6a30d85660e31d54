import { within } from '@postshelf/testing/waiting';

/** Resolves after one turn of the event loop. By then, promises that depend only on other promises have settled. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves once the condition holds, which is checked in every turn of the event loop. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  let isOver = false;
  const turn = async (): Promise<void> => {
    while (!isOver && !(await isSo())) await nextTurn();
  };
  try {
    await within('a condition that holds', turn(), 60_000);
  } finally {
    isOver = true;
  }
}
