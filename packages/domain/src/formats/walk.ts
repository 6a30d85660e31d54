import type { ForwardReader } from './forward-reader.ts';

/**
 * Walks through a file and yields its parts. A yielded number is the number of bytes that must be buffered before the
 * walk continues. When a part is yielded, the reader is at the beginning of the part; the caller may move the reader to
 * its end.
 */
export type Walk<Part> = Generator<Part | number, void, undefined>;

/** Returns the next part; null after the last. Throws `Damaged` if the file ends early. */
export async function nextPart<Part>(walk: Walk<Part>, reader: ForwardReader): Promise<Part | null> {
  for (let step = walk.next(); !step.done; step = walk.next()) {
    if (typeof step.value !== 'number') return step.value;
    await reader.fill(step.value);
  }
  return null;
}
