import { addAbortSignal, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { compressedTwice, compressedWithZstd, cutOffCompressed, notDecompressed } from './failures.ts';

/** A content coding that can be decoded (RFC 9110, section 8.4.1). */
export type Coding = 'gzip' | 'deflate' | 'br';

const CODINGS: ReadonlyMap<string, Coding | 'zstd'> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Returns the compressions that a Content-Encoding header names. Like browsers, this ignores unknown codings (Fetch,
 * "handle content codings"), because object stores keep any value that an uploader sent, such as `aws-chunked` or
 * `UTF-8`.
 */
export const compressionsIn = (header: string | undefined): readonly (Coding | 'zstd')[] =>
  (header ?? '').split(',').flatMap((member) => CODINGS.get(member.trim().toLowerCase()) ?? []);

/**
 * Returns how a body is compressed; null if it isn't.
 *
 * @throws RemoteError for zstd, and for a file that is compressed twice
 */
export function codingOf(header: string | undefined, host: string): Coding | null {
  const [coding = null, ...more] = compressionsIn(header);
  if (more.length > 0) throw compressedTwice(host);
  // zstd isn't supported: a frame may require a window of 128 MB, and the runtime accepts a truncated frame as
  // complete.
  if (coding === 'zstd') throw compressedWithZstd(host);
  return coding;
}

/** Bytes per chunk of the result. */
const CHUNK = 64 * 1024;

/**
 * Decompresses a body while it is read, in constant memory. A body that is declared as `gzip` but doesn't start like
 * gzip isn't decompressed. This is safe, because no file of an accepted type starts like gzip.
 *
 * @param chunks each is valid until the next one is requested
 * @param signal ends the work
 * @throws RemoteError if the body can't be decompressed; whatever `chunks` throws
 */
export async function* decompress(
  chunks: AsyncIterator<Uint8Array, undefined>,
  { coding, host, signal }: { readonly coding: Coding; readonly host: string; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, undefined> {
  const { start, all } = await peek(chunks);
  const decoder = decoderOf(coding, start);
  if (decoder === null) {
    yield* all;
    return;
  }
  let isCutOff = false;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* all;
    } catch (error) {
      isCutOff = true;
      throw error;
    }
  };
  // The callback ignores errors of the pipeline, because the loop below throws them.
  pipeline(source, addAbortSignal(signal, decoder), () => undefined);
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (cause) {
    if (isCutOff || signal.aborted) throw cause;
    const isIncomplete = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
    throw isIncomplete ? cutOffCompressed(host, cause) : notDecompressed(host, coding, cause);
  }
}

/** Returns the decoder; null if the body isn't compressed. */
function decoderOf(coding: Coding, [first = 0, second = 0]: Uint8Array) {
  const options = { chunkSize: CHUNK };
  if (coding === 'br') return createBrotliDecompress(options);
  if (coding === 'gzip') return first === 0x1f && second === 0x8b ? createGunzip(options) : null;
  // Many servers leave out the header of zlib. Browsers accept both forms (RFC 9110, section 8.4.1.2).
  const hasHeader = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  return hasHeader ? createInflate(options) : createInflateRaw(options);
}

/**
 * Returns at least the first two bytes as `start`, unless there are fewer, and all chunks as `all`. The chunks are
 * copies, because the decoder keeps them while it works.
 */
async function peek(chunks: AsyncIterator<Uint8Array, undefined>) {
  const held: Uint8Array[] = [];
  let size = 0;
  while (size < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    held.push(new Uint8Array(value));
    size += value.length;
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield* held;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return;
      yield new Uint8Array(value);
    }
  };
  return { start: Buffer.concat(held), all: all() };
}
