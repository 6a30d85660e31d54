import { connect } from 'node:net';

const PIECE_BYTES = 64 * 1024;

/** A complete answer as received. */
interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends a request whose body is written to the socket piece by piece, so that the number of sent bytes is known.
 * `fetch` would buffer the whole body before sending it.
 *
 * @param pause milliseconds after each 64 KB
 * @param onSent called before each piece is written, with the total length of the pieces up to and including this one
 * @returns null if no complete answer arrived
 */
export async function sendSlowly(
  url: string,
  { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body: Uint8Array },
  pause: number,
  onSent: (bytes: number) => void,
): Promise<RawAnswer | null> {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()).once('error', () => resolve()));
  let isOver = false;
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    answer += text;
    isOver = true;
  });
  void ended.then(() => {
    isOver = true;
  });
  const write = (bytes: string | Uint8Array): Promise<void> =>
    Promise.race([ended, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))]);
  const all = { ...headers, Host: host, Connection: 'close', 'Content-Length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  await write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  for (let at = 0; at < body.length && !isOver; at += PIECE_BYTES) {
    const piece = body.subarray(at, at + PIECE_BYTES);
    onSent(at + piece.length);
    await write(piece);
    if (pause > 0) await Bun.sleep(pause);
  }
  await ended;
  socket.destroy();
  return parse(answer);
}

function parse(answer: string): RawAnswer | null {
  const end = answer.indexOf('\r\n\r\n');
  const [first = '', ...lines] = answer.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (end < 0 || status === undefined) return null;
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const text = answer.slice(end + 4);
  return text.length < Number(headers.get('Content-Length') ?? 0) ? null : { status: Number(status), headers, text };
}
