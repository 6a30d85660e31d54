import { createHash } from 'node:crypto';
import type { Digester } from '@postshelf/domain';

/** A body of these chunks that records how it was read. */
export interface WatchedBody extends AsyncIterable<Uint8Array> {
  /** The number of chunks that were requested. */
  readonly pulled: number;
  /** Whether the body ended, threw, or was closed by its reader. */
  readonly isOver: boolean;
}

/** Returns a body of these chunks. @param end the error to throw instead of ending */
export function watchedBody(chunks: readonly Uint8Array[], end?: Error): WatchedBody {
  let pulled = 0;
  let isOver = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) {
        pulled += 1;
        yield chunk;
      }
      if (end) throw end;
    } finally {
      isOver = true;
    }
  }
  return {
    get pulled() {
      return pulled;
    },
    get isOver() {
      return isOver;
    },
    [Symbol.asyncIterator]: body,
  };
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

export const digest: Digester = async (body) => {
  const bytes = await readAll(body);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};
