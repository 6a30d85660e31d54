/** The head of a response that states the length of its body. */
export interface PlainHead {
  readonly status: number;
  /** By lower-case names; repeated fields are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Bytes of the body. */
  readonly length: number;
  /** Bytes of the head, its empty line included. */
  readonly size: number;
}

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d) /;
/** RFC 9110 section 5.5: no control characters but tabs. */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 9110 section 5.6.2; so a folded line has no name, nor one with white space before its colon. */
const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** Of 15 digits, which a number holds exactly. */
const LENGTH = /^\d{1,15}$/;

/** Fields that mean that the body ends otherwise, or that something other than a body follows. */
const OTHER_FRAMING = ['transfer-encoding', 'upgrade'];
/** Fields that may occur only once. */
const SINGLE = ['content-length', 'location'];

/**
 * Parses a head in its most common form: complete, HTTP/1.1, with a final status, one `Content-Length` and no other
 * indication of where the body ends. null for any other, valid or not: the platform's parser decides about that.
 */
export function readPlainHead(bytes: Buffer): PlainHead | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const lines = bytes.toString('latin1', 0, end).split('\r\n');
  if (!lines.every((line) => TEXT.test(line))) return null;
  const [statusLine = '', ...fields] = lines;
  const status = STATUS_LINE.exec(statusLine)?.[1];
  if (status === undefined) return null;
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const field of fields) {
    const colon = field.indexOf(':');
    if (!NAME.test(field.slice(0, Math.max(colon, 0)))) return null;
    const name = field.slice(0, colon).toLowerCase();
    const before = headers[name];
    if (before !== undefined && SINGLE.includes(name)) return null;
    const value = field.slice(colon + 1).replace(/^[\t ]+/, '');
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const length = headers['content-length'] ?? '';
  if (!LENGTH.test(length) || OTHER_FRAMING.some((name) => name in headers)) return null;
  return { status: Number(status), headers, length: Number(length), size: end + 4 };
}
