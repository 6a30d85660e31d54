import type { ByteSource, StoredObject } from '@postshelf/domain';

export function chunksOf(object: Pick<StoredObject, 'body'>): AsyncIterable<Uint8Array> {
  const body = object.body();
  return body instanceof Blob ? body.stream() : body;
}

/** Each read is a request of its own unless it is a local file. */
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
