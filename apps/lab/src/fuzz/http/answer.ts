/** A whole HTTP answer. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER = /^([!#$%&'*+\-.^_`|~\w]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

/** Thrown if the answer isn't valid HTTP. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/**
 * Returns the first final answer in the received bytes; null while it is incomplete (RFC 9112 section 6.3 defines where
 * it ends).
 *
 * @param ended whether the server has closed the connection
 * @throws BadAnswer
 */
export function readAnswer(received: Buffer, method: string, ended: boolean): Answer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (!status) throw new BadAnswer(`The status line is ${JSON.stringify(statusLine.slice(0, 100))}.`);
  const rest = received.subarray(headEnd + 4);
  if (status < 200) return readAnswer(rest, method, ended);
  const headers = readHeaders(lines);
  if (method === 'HEAD' || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) };
  const body = readBody(headers, rest, ended);
  return body && { status, headers, body };
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new BadAnswer(`A header is ${JSON.stringify(line)}.`);
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Reads the body. A stream of events has no end, so its body consists of the bytes that have arrived so far. */
function readBody(headers: ReadonlyMap<string, string>, rest: Buffer, ended: boolean): Buffer | null {
  if (headers.get('content-type') === 'text/event-stream') return rest.length > 0 || ended ? rest : null;
  if (headers.get('transfer-encoding') === 'chunked') return dechunk(rest);
  const length = headers.get('content-length');
  if (length === undefined) return ended ? rest : null;
  if (!/^\d+$/.test(length)) throw new BadAnswer(`Content-Length is ${length}.`);
  return rest.length < Number(length) ? null : rest.subarray(0, Number(length));
}

function dechunk(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let offset = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', offset);
    if (lineEnd < 0) return null;
    const line = bytes.subarray(offset, lineEnd).toString('latin1');
    if (!/^[\da-f]+$/i.test(line)) throw new BadAnswer(`A chunk's length is ${JSON.stringify(line.slice(0, 40))}.`);
    const size = Number.parseInt(line, 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(start, start + size));
    offset = start + size + 2;
  }
}
