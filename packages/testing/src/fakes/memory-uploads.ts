import type { Clock, ObjectStorage, PresignedUpload, PresignReceiver, PresignStorage, Uuid } from '@postshelf/domain';

export interface MemoryUploadsOptions {
  /** The storage in which uploads are staged and published. */
  readonly storage: ObjectStorage;
  /** The clock by which addresses expire and uploads arrive; by default the machine's. */
  readonly clock?: Clock;
  /** Returns an upload's URL without its query; by default, a URL at which no server listens. */
  readonly urlOf?: (id: Uuid) => string;
}

interface Upload {
  readonly bytes: Uint8Array;
  readonly modifiedAt: number;
}

/** Creates direct uploads in memory, including their receiver. An address is valid if it was issued here. */
export function memoryUploads(options: MemoryUploadsOptions): PresignStorage & PresignReceiver {
  const { storage, clock = { now: Date.now }, urlOf = (id) => `https://uploads.invalid/${id}` } = options;
  const issued = new Map<string, PresignedUpload>();
  const uploads = new Map<Uuid, Upload>();

  return {
    async address(presigned) {
      const signature = crypto.randomUUID();
      issued.set(signature, presigned);
      const url = `${urlOf(presigned.id)}?${new URLSearchParams(queryOf(presigned, signature))}`;
      return { url, headers: { 'Content-Type': presigned.type } };
    },

    verify(id, query) {
      const { signature = '' } = query;
      const presigned = issued.get(signature);
      if (presigned?.id !== id || presigned.expiresAt <= clock.now()) return null;
      return isSame(query, queryOf(presigned, signature)) ? presigned : null;
    },

    async receive({ id, size }, body) {
      const chunks: Uint8Array[] = [];
      let received = 0;
      for await (const chunk of body) {
        received += chunk.byteLength;
        if (received > size) return 'wrong_size';
        chunks.push(new Uint8Array(chunk));
      }
      if (received < size) return 'wrong_size';
      uploads.set(id, { bytes: Buffer.concat(chunks), modifiedAt: clock.now() });
      return 'kept';
    },

    async take(id) {
      const upload = uploads.get(id);
      return upload ? storage.stage(once(upload.bytes), { limit: upload.bytes.byteLength }) : null;
    },

    async purge(id) {
      uploads.delete(id);
    },

    async *list() {
      for (const [id, { bytes, modifiedAt }] of uploads) yield { id, size: bytes.byteLength, modifiedAt };
    },
  };
}

const queryOf = ({ expiresAt, size, type }: PresignedUpload, signature: string): Record<string, string> => ({
  expires: String(expiresAt / 1000),
  size: String(size),
  type,
  signature,
});

const isSame = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(right).every(([name, value]) => left[name] === value);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
