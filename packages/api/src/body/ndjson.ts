import { GatheredBytes } from './gathered-bytes.ts';

/** Media types of bodies with one JSON value per line. None of them is registered. */
export const NDJSON = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;

export interface Line {
  readonly number: number;
  /**
   * The line, which is valid until the next one is requested; null for a line that was skipped because it exceeds the
   * limit.
   */
  readonly bytes: Uint8Array | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits a body at line feeds, with or without a carriage return. Holds no more than one line. The last line may lack
 * its line feed.
 *
 * @param limit maximum bytes of a line
 */
export async function* readLines(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  const current = new GatheredBytes(limit);
  let number = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      number++;
      yield { number, bytes: withoutCarriageReturn(current.end(chunk.subarray(start, feed))) };
      start = feed + 1;
    }
    current.add(chunk.subarray(start));
  }
  if (current.length > 0) yield { number: number + 1, bytes: withoutCarriageReturn(current.end(new Uint8Array())) };
}

const withoutCarriageReturn = (bytes: Uint8Array | null): Uint8Array | null =>
  bytes?.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
