import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type PresignedUpload,
  type PresignReceiver,
  type PresignStorage,
  parseUuid,
  type Uuid,
} from '@postshelf/domain';
import { newUpload } from '@postshelf/testing/contracts/presign-storage/samples';
import { openFilePresignStorage } from '../../src/index.ts';

export type FileUploads = PresignStorage & PresignReceiver;

export const SECRET = 'the secret of the service, which nobody else knows';

export const openUploads = (root: string, options: { readonly minFree?: number } = {}): Promise<FileUploads> =>
  openFilePresignStorage(root, {
    ...options,
    secret: SECRET,
    urlOf: (id) => `https://media.example/uploads/${id}`,
    clock: { now: Date.now, elapsed: () => performance.now() },
  });

export const presignedFor = (text: string, id?: Uuid): PresignedUpload =>
  newUpload({ size: Buffer.byteLength(text), ...(id && { id }) });

export async function* bodyOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** Receives the text as a file, with a new id unless one is given. */
export async function receiveText(uploads: FileUploads, text: string, id?: Uuid): Promise<Uuid> {
  const presigned = presignedFor(text, id);
  if ((await uploads.receive(presigned, bodyOf(text))) !== 'kept') throw new Error('Not kept.');
  return presigned.id;
}

/** Takes the file with this id, and returns its text; null if there is none. */
export async function takeText(uploads: FileUploads, id: Uuid): Promise<string | null> {
  const taken = await uploads.take(id);
  if (!taken) return null;
  try {
    return new TextDecoder().decode(await taken.read(0, taken.size));
  } finally {
    await taken.discard();
  }
}

export const uploadFolder = (root: string, id: Uuid): string => join(root, '.uploads', id);

/** Returns the names of the files that are kept for an id, sorted. */
export const keptNames = async (root: string, id: Uuid): Promise<string[]> =>
  (await readdir(uploadFolder(root, id))).sort();

/** Returns the entries of the directory of uploads, sorted. */
export const uploadEntries = async (root: string): Promise<string[]> => (await readdir(join(root, '.uploads'))).sort();

/** Parses a UUID. @throws Error for any other text */
export function requireUuid(text: string): Uuid {
  const id = parseUuid(text);
  if (!id) throw new Error('A UUID expected.');
  return id;
}
