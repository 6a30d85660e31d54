import { type ByteSource, REQUEST_ENDED_EARLY, Refusal, type StoredObject } from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';

export function chunksOf(object: Pick<StoredObject, 'body'>): AsyncIterable<Uint8Array> {
  const body = object.body();
  return body instanceof Blob ? body.stream() : body;
}

/** Makes a source in which each read is a separate request, unless the object is a local file. */
export function sourceOf({ size, path, body }: StoredObject): ByteSource {
  return {
    size,
    ...(path !== undefined && { path }),
    async read(offset, length) {
      const end = Math.min(offset + length, size) - 1;
      if (end < offset) return new Uint8Array();
      return new Uint8Array(await new Response(body({ start: offset, end })).arrayBuffer());
    },
  };
}

const READ = 4 * 1024 * 1024;

/** Number of bytes per piece. Hashing one takes the main thread a few milliseconds. */
const PIECE = 1024 * 1024;

/** Yields all bytes of a source for hashing, one piece per turn of the event loop. */
export async function* piecesOf(source: ByteSource, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < source.size; ) {
    if (signal?.aborted) throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY });
    const bytes = await source.read(offset, READ);
    if (bytes.length === 0) throw new Error(`The file ended at ${offset} of ${source.size} bytes.`);
    offset += bytes.length;
    for (let start = 0; start < bytes.length; start += PIECE) {
      yield bytes.subarray(start, start + PIECE);
      await turns.next();
    }
  }
}
