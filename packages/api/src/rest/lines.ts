/** One line of a body, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** null for a line that is longer than it may be; the rest of it was passed over. */
  readonly bytes: Uint8Array | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Takes a body apart at its line feeds (a carriage return before one goes with it), holding no more than one line.
 * The last line needs no end.
 *
 * @param limit bytes that a line may have
 */
export async function* readLines(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let length = 0;

  function take(piece: Uint8Array): void {
    length += piece.length;
    if (length <= limit) begun.push(piece);
    else begun = [];
  }

  function end(): Line {
    const line = { number, bytes: length <= limit ? withoutReturn(Buffer.concat(begun)) : null };
    number++;
    begun = [];
    length = 0;
    return line;
  }

  for await (const chunk of body) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, feed));
      yield end();
      start = feed + 1;
    }
    take(chunk.subarray(start));
  }
  if (length > 0) yield end();
}

const withoutReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
