/** Rows or ids that go into one statement: many, and far fewer than the parameters that a database takes. */
const BLOCK = 500;

/** The items in their order, in as many blocks as it takes; none when there are no items. */
export function* blocksOf<T>(items: readonly T[], size = BLOCK): Generator<readonly T[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
