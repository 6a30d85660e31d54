import { test } from 'bun:test';
import { type ObjectStorage, type StagedObject, inChunks as wholeOf } from '@postshelf/domain';

/** Two instances over one backing store, empty, and how to take it down. */
export interface Storages {
  readonly one: ObjectStorage;
  readonly two: ObjectStorage;
  /**
   * Does what another process over the same store does that stages the bytes, publishes them when there is a key, and
   * is killed before it discards them.
   */
  crash(bytes: Uint8Array, key: string | null): Promise<void>;
  close(): Promise<void>;
}

/** What a storage can or can't do by its nature. */
export interface StorageTraits {
  /**
   * Whether it knows which processes live: those in `one` and `two` do, those of `crash` don't. One that can't tell
   * sweeps by time alone and calls no object settled.
   */
  readonly tellsWhoLives: boolean;
  /**
   * Set where two that publish to one key at the very same time may both succeed, the later one's bytes staying; a key
   * that was taken before is refused all the same.
   */
  readonly mayRaceForKeys?: boolean;
  /** Set where bytes at hand are staged in another way than those that come in chunks. */
  readonly holdsBytesAtHand?: boolean;
}

export type OpenStorages = () => Promise<Storages>;

/** The same storages, with what a test stages in chunks given to them as bytes at hand. */
export const atHand =
  (open: OpenStorages): OpenStorages =>
  async () => {
    const { one, two, ...others } = await open();
    return { one: takingBytes(one), two: takingBytes(two), ...others };
  };

const takingBytes = (storage: ObjectStorage): ObjectStorage => ({
  stage: async (body, options) => storage.stage(Buffer.concat(await Array.fromAsync(wholeOf(body))), options),
  open: (key) => storage.open(key),
  remove: (key) => storage.remove(key),
  list: () => storage.list(),
  sweepStaging: (before, onFreed) => storage.sweepStaging(before, onFreed),
  check: () => storage.check(),
});

/** A test body with storages of its own. */
export function withStorages(open: OpenStorages, run: (storages: Storages) => Promise<void>): () => Promise<void> {
  return async () => {
    const storages = await open();
    try {
      await run(storages);
    } finally {
      await storages.close();
    }
  };
}

/** A test with storages of its own. */
export const testStorages = (open: OpenStorages, title: string, run: (storages: Storages) => Promise<void>): void =>
  test(title, withStorages(open, run));

const HOUR = 60 * 60 * 1000;

/** A time after everything a test wrote, and one before, whatever clock a storage goes by. */
export const later = (): number => Date.now() + HOUR;
export const earlier = (): number => Date.now() - HOUR;

export const newKey = (name = 'photo.jpg'): string => `${crypto.randomUUID()}/${crypto.randomUUID()}/${name}`;

/** Bytes that differ from their neighbours, and from those of another seed. */
export function sampleBytes(length: number, seed = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 17 + seed * 101) & 0xff);
}

/** The bytes as a body in chunks of the size given. */
export async function* inChunks(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

export const stageBytes = (storage: ObjectStorage, bytes: Uint8Array): Promise<StagedObject> =>
  storage.stage(inChunks(bytes), { limit: bytes.length });

export async function publishBytes(storage: ObjectStorage, key: string, bytes: Uint8Array): Promise<void> {
  const staged = await stageBytes(storage, bytes);
  try {
    await staged.publish(key);
  } finally {
    await staged.discard();
  }
}

export async function readBody(body: ReadableStream<Uint8Array> | Blob): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** The whole object; null when there is none. */
export async function readObject(storage: ObjectStorage, key: string): Promise<Uint8Array | null> {
  const stored = await storage.open(key);
  return stored && readBody(stored.body());
}

/** Sorted, so that two lists compare. */
export async function listKeys(storage: ObjectStorage): Promise<string[]> {
  const keys: string[] = [];
  for await (const object of storage.list()) keys.push(object.key);
  return keys.sort();
}
