import type { ForwardReader } from './forward-reader.ts';

/**
 * Goes through a file. Yields its parts; a number instead says that so many bytes must be buffered before it goes on.
 * While a caller has a part, the reader stands at its beginning; the caller may move it to the part's end.
 */
export type Walk<Part> = Generator<Part | number, void, undefined>;

/** null after the last part. Throws `Damaged` if the file ends before. */
export async function nextPart<Part>(walk: Walk<Part>, reader: ForwardReader): Promise<Part | null> {
  for (let step = walk.next(); !step.done; step = walk.next()) {
    if (typeof step.value !== 'number') return step.value;
    await reader.fill(step.value);
  }
  return null;
}
