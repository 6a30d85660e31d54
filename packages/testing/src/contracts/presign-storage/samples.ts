import { expect, test } from 'bun:test';
import type { ObjectStorage, PresignedUpload, PresignStorage, UploadAddress, Uuid } from '@postshelf/domain';
import { sampleBytes } from '../objects/samples.ts';
import { sendRaw } from '../raw-http.ts';
import { newId } from '../samples.ts';

/**
 * A storage of presigned uploads, a storage of the objects that they become, both in the same empty store, and a
 * function that cleans up.
 */
export interface OpenedPresign {
  readonly presign: PresignStorage;
  readonly storage: ObjectStorage;
  close(): Promise<void>;
}

/** Opens the storages. When this resolves, the server that receives requests to upload addresses must be listening. */
export type OpenPresign = () => Promise<OpenedPresign>;

/** Declares a test that gets a new, empty presign storage, which is closed afterwards. */
export const testPresign = (open: OpenPresign, title: string, run: (opened: OpenedPresign) => Promise<void>): void =>
  test(title, async () => {
    const opened = await open();
    try {
      await run(opened);
    } finally {
      await opened.close();
    }
  });

export const SIZE = 5000;
const MINUTE = 60_000;

/** Returns a presigned upload for a JPEG of {@link SIZE} bytes that is valid for a minute. */
export function newUpload(changes: Partial<PresignedUpload> = {}): PresignedUpload {
  const expiresAt = (Math.floor(Date.now() / 1000) + 60) * 1000;
  return { id: newId(), size: SIZE, type: 'image/jpeg', expiresAt, ...changes };
}

/** Returns an upload that expired a minute ago. */
export const expiredUpload = (): PresignedUpload => newUpload({ expiresAt: newUpload().expiresAt - 2 * MINUTE });

/** Sends the file like a well-behaved client. */
export async function upload({ url, headers }: UploadAddress, bytes: Uint8Array): Promise<void> {
  const { ok, status } = await fetch(url, { method: 'PUT', headers, body: bytes.slice() });
  if (!ok) throw new Error(`The upload was refused: ${status}.`);
}

/** Sends a complete upload and returns its id. */
export async function uploaded({ presign }: OpenedPresign, bytes: Uint8Array): Promise<Uuid> {
  const presigned = newUpload({ size: bytes.length });
  await upload(await presign.address(presigned), bytes);
  return presigned.id;
}

/** A forged request to an upload's address. Absent parts are the same as in a well-behaved client's request. */
export interface Attack {
  readonly method?: string;
  readonly url?: (url: string) => string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array;
}

/**
 * Sends a forged request. Expects that it is refused with a 4xx or a closed connection, and that it changes nothing.
 *
 * @param stands the bytes that were uploaded before; null if none were
 */
export async function expectRefused(
  { presign }: OpenedPresign,
  { presigned, address }: { readonly presigned: PresignedUpload; readonly address: UploadAddress },
  { method = 'PUT', url = (same) => same, headers = {}, body = sampleBytes(SIZE) }: Attack,
  stands: Uint8Array | null = null,
): Promise<void> {
  const all = { ...address.headers, 'Content-Length': String(body.length), ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const status = await sendRaw(url(address.url), { method, headers: Object.fromEntries(sent), body });
  if (status !== null) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
  expect(await readUpload(presign, presigned.id)).toEqual(stands);
  expect(await listIds(presign)).toEqual(stands ? [presigned.id] : []);
}

/** Returns all bytes that were uploaded for the id; null if none were. */
export async function readUpload(uploads: PresignStorage, id: Uuid): Promise<Uint8Array | null> {
  const taken = await uploads.take(id);
  if (!taken) return null;
  try {
    return await taken.read(0, taken.size);
  } finally {
    await taken.discard();
  }
}

/** Returns the ids, sorted. */
export async function listIds(uploads: PresignStorage): Promise<string[]> {
  const listed = await Array.fromAsync(uploads.list());
  return listed.map(({ id }) => id as string).sort();
}
