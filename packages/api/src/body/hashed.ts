import type { Hash } from 'node:crypto';

/** Yields the chunks unchanged. Updates the hash with each chunk, unless the hash is null. */
export async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash | null): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash?.update(chunk);
    yield chunk;
  }
}
