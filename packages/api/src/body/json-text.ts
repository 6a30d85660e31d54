/** Arrays and objects within each other; none of our bodies has more than three. */
const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON text is none, in words that end a sentence. */
export class NoJson extends Error {
  override readonly name = 'NoJson';
}

/**
 * Parses a JSON text (RFC 8259). Brackets that nest without end are refused unparsed:
 * each would cost a hundred times its byte.
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
  if (depthOf(bytes) > MAX_DEPTH) throw new NoJson(`JSON nested up to ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NoJson('valid JSON', { cause });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** How deep brackets outside of strings nest. */
function depthOf(bytes: Uint8Array): number {
  let [depth, deepest, isString] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if (OPENING.has(byte)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(byte)) depth--;
  }
  return deepest;
}
