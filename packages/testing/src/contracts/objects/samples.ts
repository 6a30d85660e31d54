import { test } from 'bun:test';
import type { ObjectStorage, StagedObject } from '@postshelf/domain';

/** Two storages that share one empty store, and a function that cleans up. */
export interface Storages {
  readonly one: ObjectStorage;
  readonly two: ObjectStorage;
  /**
   * Acts as another process that uses the same store. That process stages the bytes, publishes them if there is a key,
   * and is killed before it calls `discard`.
   */
  crash(bytes: Uint8Array, key: string | null): Promise<void>;
  close(): Promise<void>;
}

/** Properties in which the implementations of a storage differ. */
export interface StorageTraits {
  /**
   * Whether the storage can distinguish living processes (`one` and `two`) from dead ones (those that `crash` kills).
   * If it can't, it discards by time only and reports no object as settled.
   */
  readonly detectsDeadProcesses: boolean;
  /**
   * Set if two concurrent calls that publish to one key may both succeed. The bytes of the later call then remain. Even
   * then, an object that existed before is never replaced.
   */
  readonly mayRaceForKeys?: boolean;
}

export type OpenStorages = () => Promise<Storages>;

/** Returns a test body that gets new storages. */
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

/** Declares a test that gets new storages. */
export const testStorages = (open: OpenStorages, title: string, run: (storages: Storages) => Promise<void>): void =>
  test(title, withStorages(open, run));

const HOUR = 60 * 60 * 1000;

/**
 * `later` and `earlier` return a time after and a time before everything that a test writes, even if the storage has a
 * clock of its own.
 */
export const later = (): number => Date.now() + HOUR;
export const earlier = (): number => Date.now() - HOUR;

export const newKey = (name = 'photo.jpg'): string => `${crypto.randomUUID()}/${crypto.randomUUID()}/${name}`;

/** Returns bytes in which neighbours differ, and which differ for each seed. */
export function sampleBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  // With Uint8Array.from, a contract's many megabytes would take seconds.
  for (let index = 0; index < length; index += 1) bytes[index] = index * 31 + (index >> 8) * 17 + seed * 101;
  return bytes;
}

/** Yields the bytes as a body in chunks of the given size. */
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

/** Reads all bytes of the object; null if there is none. */
export async function readObject(storage: ObjectStorage, key: string): Promise<Uint8Array | null> {
  const stored = await storage.open(key);
  return stored && readBody(stored.body());
}

/** Returns all keys, sorted. */
export async function listKeys(storage: ObjectStorage): Promise<string[]> {
  const keys: string[] = [];
  for await (const object of storage.list()) keys.push(object.key);
  return keys.sort();
}
