/** Arrays and objects within each other; none of our bodies has more than three. */
const MAX_DEPTH = 64;

/** Names and values; the largest of our bodies, a batch of calls, has a few thousand. Each takes about a microsecond to parse. */
const MAX_VALUES = 10_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A text isn't the JSON that is wanted; the message ends a sentence: "must be …". */
export class NoJson extends Error {
  override readonly name: string = 'NoJson';
}

/** A text that may be JSON, but would take too long to parse. */
export class CostlyJson extends NoJson {}

/**
 * Parses a JSON text (RFC 8259). Too many levels or values are refused unparsed: each costs the parser a hundred times as
 * much as its byte, and it can't be interrupted.
 *
 * @throws NoJson
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new NoJson('valid UTF-8', { cause });
  }
  requireCheap(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NoJson('valid JSON', { cause });
  }
}

/** Checks a text before it is parsed. @throws NoJson where parsing would take long */
export function requireCheap(bytes: Uint8Array): void {
  const { depth, values } = measure(bytes);
  if (depth > MAX_DEPTH) throw new NoJson(`JSON nested up to ${MAX_DEPTH} levels`);
  if (values > MAX_VALUES) throw new CostlyJson(`JSON of at most ${MAX_VALUES} names and values`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** How deep brackets outside of strings nest, and how many names and values there are, at least where it is JSON. */
function measure(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let [depth, deepest, values, isString] = [0, 0, 1, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if (byte === COMMA || byte === COLON) values++;
    else if (OPENING.has(byte)) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (CLOSING.has(byte)) depth--;
  }
  return { depth: deepest, values };
}
