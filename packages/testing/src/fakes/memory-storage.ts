import { createHash } from 'node:crypto';
import {
  type Clock,
  hasUnsafe,
  LimitExceeded,
  type ListedObject,
  type ObjectStorage,
  parseUuid,
  type StagedObject,
  type StoredObject,
} from '@postshelf/domain';

interface Bytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAt: number;
}

/** What several instances share, as processes share a disk. */
export interface MemoryBacking {
  readonly published: Map<string, Bytes>;
  readonly staged: Set<Bytes>;
}

export const memoryBacking = (): MemoryBacking => ({ published: new Map(), staged: new Set() });

export interface MemoryStorageOptions {
  /** The storage's clock; the machine's by default. */
  readonly clock?: Clock;
  /** One of its own by default. */
  readonly backing?: MemoryBacking;
}

/** Objects in memory. */
export function memoryStorage(options: MemoryStorageOptions = {}): ObjectStorage {
  return new MemoryStorage(options.clock ?? { now: Date.now }, options.backing ?? memoryBacking());
}

class MemoryStorage implements ObjectStorage {
  constructor(
    private readonly clock: Clock,
    private readonly backing: MemoryBacking,
  ) {}

  async stage(body: AsyncIterable<Uint8Array>, { limit }: { readonly limit: number }): Promise<StagedObject> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limit) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      chunks.push(chunk.slice());
    }
    const bytes = new Uint8Array(size);
    let end = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, end);
      end += chunk.byteLength;
    }
    const entry = { bytes, modifiedAt: this.clock.now() };
    this.backing.staged.add(entry);
    return this.#staged(entry);
  }

  #staged(entry: Bytes): StagedObject {
    const { published, staged } = this.backing;
    const { bytes } = entry;
    return {
      size: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      read: async (offset, length) => bytes.slice(offset, offset + length),
      publish: async (key) => {
        checkKey(key);
        if (!staged.has(entry)) throw new Error('These bytes are staged no more.');
        if (published.has(key)) throw new Error('The key is taken.');
        staged.delete(entry);
        published.set(key, { bytes, modifiedAt: this.clock.now() });
      },
      discard: async () => {
        staged.delete(entry);
      },
    };
  }

  async open(key: string): Promise<StoredObject | null> {
    checkKey(key);
    const bytes = this.backing.published.get(key)?.bytes;
    if (!bytes) return null;
    const whole = new Blob([bytes]);
    return {
      size: bytes.byteLength,
      body: (range) => (range ? whole.slice(range.start, range.end + 1) : whole),
    };
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    this.backing.published.delete(key);
  }

  async *list(): AsyncGenerator<ListedObject> {
    for (const [key, { modifiedAt }] of this.backing.published) yield { key, modifiedAt };
  }

  async sweepStaging(before: number): Promise<number> {
    const old = [...this.backing.staged].filter(({ modifiedAt }) => modifiedAt < before);
    for (const entry of old) this.backing.staged.delete(entry);
    return old.length;
  }

  async check(): Promise<void> {}
}

function checkKey(key: string): void {
  const [workspace, id, name = '', ...more] = key.split('/');
  const uuids = [workspace, id].every((segment) => segment !== undefined && parseUuid(segment) === segment);
  const named = name !== '' && name !== '.' && name !== '..' && !name.includes('\\') && !hasUnsafe(name);
  if (!uuids || !named || more.length > 0 || Buffer.byteLength(name) > 255)
    throw new Error('Not the key of an object.');
}
