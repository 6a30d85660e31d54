/** Rows or ids in one statement: enough to save round trips, and far below the databases' limits of parameters. */
const BLOCK = 500;

/** Splits the items, in order, into blocks of at most `size`; yields none for no items. */
export function* blocksOf<T>(items: readonly T[], size = BLOCK): Generator<readonly T[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
