import type { ObjectStorage, ResumableStorage } from '@postshelf/domain';

/** Stores pieces in memory; the whole file is staged in the storage. */
export function memoryResumable({ storage }: { readonly storage: Pick<ObjectStorage, 'stage'> }): ResumableStorage {
  const pieces = new Map<string, Uint8Array>();
  return {
    async requireSpace() {},

    async append(_, start, body, keep) {
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of body) chunks.push(new Uint8Array(chunk));
      } finally {
        const bytes = Buffer.concat(chunks);
        const name = crypto.randomUUID();
        pieces.set(name, bytes);
        if (bytes.length > 0) await keep({ name, start, size: bytes.length });
      }
    },

    async discard(_, unwanted) {
      for (const { name } of unwanted) pieces.delete(name);
    },

    async take(_, wanted) {
      const found = wanted.flatMap(({ name, size }) => pieces.get(name)?.subarray(0, size) ?? []);
      if (found.length < wanted.length) return null;
      const bytes = Buffer.concat(found);
      return storage.stage(once(bytes), { limit: bytes.length });
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
