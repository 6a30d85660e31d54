/** Maximum depth of arrays and objects. No operation's body has more than three levels. */
const MAX_DEPTH = 64;

/**
 * Maximum number of values. The largest body, the list of ids for a ZIP file, has slightly over 10,000. Parsing a value
 * takes about 1 µs.
 */
const MAX_VALUES = 11_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Thrown if a text isn't acceptable JSON. The message completes a sentence: "must be …". */
export class InvalidJson extends Error {
  override readonly name: string = 'InvalidJson';
}

/** Thrown if a text may be JSON, but would take too long to parse. */
export class CostlyJson extends InvalidJson {}

/**
 * Parses JSON (RFC 8259). First refuses texts with too many levels or values, because parsing can't be interrupted.
 *
 * @throws InvalidJson
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new InvalidJson('valid UTF-8', { cause });
  }
  requireCheap(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidJson('valid JSON', { cause });
  }
}

/** @throws InvalidJson if parsing would take long */
export function requireCheap(bytes: Uint8Array): void {
  const { depth, values } = measure(bytes);
  if (depth > MAX_DEPTH) throw new InvalidJson(`JSON nested at most ${MAX_DEPTH} levels deep`);
  if (values > MAX_VALUES) throw new CostlyJson(`JSON with at most ${MAX_VALUES} names and values`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Returns how deep brackets are nested outside of strings, and the number of names and values. Assumes valid JSON. */
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
