import { factsOf } from '../answer.ts';
import { aborted, unreachable } from '../error.ts';
import { type Form, type Outgoing, platformBody, type Sent, sizeOf } from './outgoing.ts';
import { streamOf } from './stream.ts';

/** Sends a request by `fetch`. @throws PostshelfError `unreachable`, `aborted` */
export async function sendByFetch(request: Outgoing): Promise<Sent> {
  const { method, url, headers, body, signal } = request;
  const streamed = body !== null && sendsStreams() ? stream(request, body) : { headers, body: platformBody(body) };
  try {
    const response = await fetch(url, {
      method,
      signal: signal ?? null,
      // A redirect must not send the files to a different URL. Also, Node would keep the body in memory to be able to
      // send it again after a redirect (Fetch standard, 4.5).
      redirect: 'error',
      window: null,
      ...streamed,
    });
    const header = (name: string) => response.headers.get(name);
    return { answer: { status: response.status, text: await response.text(), ...factsOf(header) }, header };
  } catch (cause) {
    throw signal?.aborted ? aborted(signal) : unreachable(cause);
  }
}

/**
 * Whether `fetch` can send a stream as its body while the stream is being read, as in Node and Bun. Browsers can do so
 * only over HTTP/2, so in a browser's worker the blobs themselves are passed to `fetch`, and no progress is reported.
 */
const sendsStreams = (): boolean =>
  typeof (globalThis as { process?: { versions?: { node?: unknown } } }).process?.versions?.node === 'string';

function stream({ headers, onProgress }: Outgoing, body: NonNullable<Outgoing['body']>) {
  const { type, length, chunks } = 'fields' in body ? encode(body) : { type: null, length: body.size, chunks: [body] };
  const ownHeaders = { ...(type && { 'Content-Type': type }), 'Content-Length': String(length) };
  const total = sizeOf(body);
  let loaded = 0;
  const onBytes = (bytes: number): void => {
    loaded += bytes;
    onProgress?.({ loaded, total });
  };
  // `duplex` (Fetch standard, 5.4) is missing in TypeScript's DOM library.
  return { headers: { ...headers, ...ownHeaders }, body: streamOf(chunks, onBytes), duplex: 'half' };
}

interface Encoded {
  readonly type: string;
  /** The body's length in bytes. */
  readonly length: number;
  readonly chunks: readonly (string | Blob)[];
}

/**
 * Encodes a form as RFC 7578 requires, with names escaped as in the HTML standard, 4.10.22.8. This is used where
 * `fetch` reports no progress for a `FormData`; in addition, Bun would build the whole body in memory.
 */
function encode({ fields, files }: Form): Encoded {
  const boundary = `postshelf-${crypto.randomUUID()}`;
  const chunks: (string | Blob)[] = [];
  for (const [name, value] of fields) {
    chunks.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  }
  for (const { name, data } of files) {
    const disposition = `form-data; name="files[]"; filename="${escapeName(name)}"`;
    const type = data.type || 'application/octet-stream';
    chunks.push(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`, data, '\r\n');
  }
  chunks.push(`--${boundary}--\r\n`);
  const length = chunks.reduce((sum, chunk) => sum + (typeof chunk === 'string' ? byteLength(chunk) : chunk.size), 0);
  return { type: `multipart/form-data; boundary=${boundary}`, length, chunks };
}

const byteLength = (text: string): number => new TextEncoder().encode(text).byteLength;

const escapeName = (name: string): string => name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
