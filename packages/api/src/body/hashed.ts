import type { Hash } from 'node:crypto';

/** Yields the chunks unchanged, and updates the hash, if there is one, with each. */
export async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash | null): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash?.update(chunk);
    yield chunk;
  }
}
