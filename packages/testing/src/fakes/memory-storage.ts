import { createHash } from 'node:crypto';
import {
  type Clock,
  isObjectKey,
  LimitExceeded,
  type ListedObject,
  type ObjectStorage,
  type StagedObject,
  type StoredObject,
} from '@postshelf/domain';

interface Bytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly process: string;
  modifiedAt: number;
  isPublished: boolean;
  isHidden?: boolean;
}

/** State that several instances share, as processes share a disk. */
export interface MemoryBacking {
  readonly published: Map<string, Bytes>;
  readonly staged: Set<Bytes>;
  /** Objects in the trash: key, time and bytes. */
  readonly trash: Set<{ readonly key: string; readonly trashedAt: number; readonly entry: Bytes }>;
  /** Names of processes that are dead. */
  readonly killed: Set<string>;
}

export const memoryBacking = (): MemoryBacking => ({
  published: new Map(),
  staged: new Set(),
  trash: new Set(),
  killed: new Set(),
});

export interface MemoryStorageOptions {
  /** The storage's clock; the machine's by default. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Default: a new, empty one. */
  readonly backing?: MemoryBacking;
  /** Name of the process that the instance acts as. */
  readonly process?: string;
}

/** Stores objects in memory. */
export function memoryStorage(options: MemoryStorageOptions = {}): ObjectStorage {
  const { clock = { now: Date.now }, backing = memoryBacking(), process = 'one' } = options;
  return new MemoryStorage(clock, backing, process);
}

class MemoryStorage implements ObjectStorage {
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly backing: MemoryBacking,
    private readonly process: string,
  ) {}

  async stage(body: AsyncIterable<Uint8Array>, { limit }: { readonly limit: number }): Promise<StagedObject> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limit) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      chunks.push(new Uint8Array(chunk));
    }
    const bytes = new Uint8Array(size);
    let end = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, end);
      end += chunk.byteLength;
    }
    const entry = { bytes, process: this.process, modifiedAt: this.clock.now(), isPublished: false };
    this.backing.staged.add(entry);
    return this.#staged(entry);
  }

  #staged(entry: Bytes): StagedObject {
    const { published, staged } = this.backing;
    const { bytes } = entry;
    const put = (key: string): void => {
      checkKey(key);
      if (!staged.has(entry) || entry.isPublished) throw new Error('These bytes are no longer staged.');
      entry.isPublished = true;
      entry.modifiedAt = this.clock.now();
      published.set(key, entry);
    };
    return {
      size: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      read: async (offset, length) => bytes.slice(offset, offset + length),
      publish: async (key) => {
        if (published.has(key)) throw new Error('The key is taken.');
        put(key);
      },
      replace: async (key) => put(key),
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

  async purge(key: string): Promise<void> {
    checkKey(key);
    this.backing.published.delete(key);
  }

  async hide(key: string): Promise<void> {
    this.#setHidden(key, true);
  }

  async show(key: string): Promise<void> {
    this.#setHidden(key, false);
  }

  #setHidden(key: string, isHidden: boolean): void {
    checkKey(key);
    const entry = this.backing.published.get(key);
    if (entry) entry.isHidden = isHidden;
  }

  async *list(): AsyncGenerator<ListedObject> {
    for (const [key, entry] of this.backing.published) {
      const isSettled = !this.backing.staged.has(entry);
      const { isHidden = false } = entry;
      yield { key, size: entry.bytes.byteLength, modifiedAt: entry.modifiedAt, isSettled, isHidden };
    }
  }

  async discardAbandoned(_before: number, onFreed: (bytes: number) => void = () => undefined): Promise<number> {
    const { staged, killed } = this.backing;
    const garbage = [...staged].filter(({ process }) => killed.has(process));
    for (const entry of garbage) staged.delete(entry);
    const dropped = garbage.filter(({ isPublished }) => !isPublished);
    for (const { bytes } of dropped) onFreed(bytes.byteLength);
    return dropped.length;
  }

  async check(): Promise<void> {}
}

function checkKey(key: string): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object.');
}
