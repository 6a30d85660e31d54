import { createHash } from 'node:crypto';
import type { ObjectStorage, StagedObject } from '@postshelf/domain';
import { Refusal } from '@postshelf/domain';
import { openFiles } from '../../src/index.ts';

export const WORKSPACE = '01890a5d-ac96-774b-bcce-b302099a8057';
export const ITEM = '01890a5d-ac96-774b-bcce-b302099a8058';
export const KEY = `${WORKSPACE}/${ITEM}/photo.jpg`;

export const MIB = 1024 * 1024;
export const HOUR = 60 * 60 * 1000;

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += 65_536) crypto.getRandomValues(bytes.subarray(start, start + 65_536));
  return bytes;
}

/** Yields the bytes as a body, in chunks of 100 kB. */
export async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 100_000) yield bytes.slice(start, start + 100_000);
}

/** Opens a storage that writes every body to a file as it arrives. Other storages do so only with large bodies. */
export const openStreaming = async (root: string, minFree = 0): Promise<ObjectStorage> =>
  (await openFiles(root, { minFree, gathered: -1 })).storage;

export const openFileStorage = async (root: string, minFree = 0): Promise<ObjectStorage> =>
  (await openFiles(root, { minFree })).storage;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const stageBytes = (storage: ObjectStorage, bytes: Uint8Array): Promise<StagedObject> =>
  storage.stage(once(bytes), { limit: bytes.length });

export const stageText = (storage: ObjectStorage, text: string): Promise<StagedObject> =>
  stageBytes(storage, new TextEncoder().encode(text));

export async function publishText(storage: ObjectStorage, key: string, text: string, mime?: string): Promise<void> {
  const staged = await stageText(storage, text);
  try {
    await staged.publish(key, mime);
  } finally {
    await staged.discard();
  }
}

/** Reads an object as text; null when there is none. */
export async function readText(storage: Pick<ObjectStorage, 'open'>, key: string): Promise<string | null> {
  const stored = await storage.open(key);
  return stored && new Response(stored.body()).text();
}

/** Expects the work to fail with a refusal `unavailable`. Returns the message of the refusal. */
export async function unavailableMessage(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error);
  if (!(outcome instanceof Refusal) || outcome.problem.code !== 'unavailable') {
    throw new Error('Not refused as unavailable.', { cause: outcome });
  }
  if (!outcome.cause) throw new Error('The refusal lost its cause.');
  return outcome.problem.message;
}

/** Returns the outcome of the work, for a process to print: `done`, the problem of a refusal, or the error. */
export const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.problem : String(error)),
  );
