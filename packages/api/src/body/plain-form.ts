import type { Part } from './part-head.ts';

/** The content type as most programs write it: a boundary, quoted or not, and no other parameter. */
const PLAIN_TYPE = /^multipart\/form-data; ?boundary=(?:"([\w.'+-]{1,70})"|([\w.'+-]{1,70}))$/i;

/** The head of a part as browsers and most programs write it: no escapes, no other character set, no path. */
const PLAIN_HEAD =
  /^[Cc]ontent-[Dd]isposition: form-data; name="([ !#-[\]-~]+)"(?:; filename="([^"\\/\p{Cc}\ufffd.][^"\\/\p{Cc}\ufffd]*)"(?:\r\n[Cc]ontent-[Tt]ype: [ -~]+)?)?$/u;

/** Most bytes of such a head, parts of such a form, and bytes of a field; far below the limits of forms in general. */
const MOST = { head: 1024, parts: 32, field: 32 * 1024 } as const;

const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');

/** The boundary of a form that may be plain; null for every other content type. */
export function plainBoundaryOf(contentType: string): string | null {
  const [, quoted, bare] = PLAIN_TYPE.exec(contentType) ?? [];
  return quoted ?? bare ?? null;
}

/**
 * Splits a small form that is in memory as a whole, with the platform's own search.
 *
 * @returns parts whose contents are views of the bytes; null for a form that isn't plain in every detail, whether wrong
 *   or just unusual: the general parser then reads it, so that only one parser judges what is malformed
 */
export function splitPlainForm(form: Buffer, boundary: string): readonly Part[] | null {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // The first delimiter needs no line end before it.
  let at = startsWith(form, delimiter.subarray(LINE_END.length), 0) ? delimiter.length - LINE_END.length : null;
  at ??= startsWith(form, delimiter, 0) ? delimiter.length : null;
  while (at !== null && parts.length <= MOST.parts) {
    if (startsWith(form, DASHES, at)) return parts;
    if (!startsWith(form, LINE_END, at)) return null;
    const start = at + LINE_END.length;
    // From `at`, not from `start`: if there is no head at all, the delimiter begins with this very line end.
    const end = form.indexOf(delimiter, at);
    const part = end < 0 ? null : readPart(form.subarray(start, end));
    if (part === null) return null;
    parts.push(part);
    at = end + delimiter.length;
  }
  return null;
}

function readPart(bytes: Buffer): Part | null {
  const headEnd = bytes.subarray(0, MOST.head).indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const [isPlain, name = '', fileName] = PLAIN_HEAD.exec(bytes.toString('utf8', 0, headEnd)) ?? [];
  if (isPlain === undefined) return null;
  const body = bytes.subarray(headEnd + HEAD_END.length);
  if (fileName !== undefined) return { kind: 'file', name, fileName, body: once(body) };
  return body.length > MOST.field ? null : { kind: 'field', name, value: body.toString('utf8') };
}

const startsWith = (bytes: Buffer, start: Buffer, at: number): boolean =>
  bytes.length >= at + start.length && start.equals(bytes.subarray(at, at + start.length));

/** Bytes in one chunk. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
