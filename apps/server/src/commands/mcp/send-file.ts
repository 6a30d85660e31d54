import type { FileHandle } from 'node:fs/promises';
import { Refused } from './refused.ts';

/** Maximum bytes of a request. One request is in memory at a time. */
const PIECE = 8 * 1024 * 1024;

const VERSION = { 'Tus-Resumable': '1.0.0' };

export interface Destination {
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Called after each piece with the number of bytes that the service has received. */
export type OnSent = (sent: number, total: number) => Promise<void>;

/**
 * Uploads an open file in pieces (tus 1.0, "Creation" and "Core Protocol"), so that the file may have any size that the
 * service accepts.
 *
 * @param metadata the values of `Upload-Metadata` by name; `filename` is the name of the new item
 * @returns the id of the item
 * @throws Refused with the body of the service's refusal
 */
export async function sendFile(
  to: Destination,
  workspace: string,
  file: FileHandle,
  metadata: Readonly<Record<string, string>>,
  onSent: OnSent,
): Promise<string> {
  const { size } = await file.stat();
  const created = await request(to, 'POST', `/v1/workspaces/${encodeURIComponent(workspace)}/uploads`, {
    headers: { 'Upload-Length': String(size), 'Upload-Metadata': encoded(metadata) },
  });
  const upload = `/v1/uploads/${encodeURIComponent(created.headers.get('location')?.split('/').at(-1) ?? '')}`;
  try {
    return await sendPieces(to, upload, file, size, onSent);
  } catch (error) {
    // The upload is deleted, because the service would otherwise keep the received bytes for a day.
    await request({ ...to, signal: AbortSignal.timeout(10_000) }, 'DELETE', upload, {}).catch(() => undefined);
    throw error;
  }
}

async function sendPieces(
  to: Destination,
  upload: string,
  file: FileHandle,
  size: number,
  onSent: OnSent,
): Promise<string> {
  const piece = Buffer.allocUnsafe(Math.min(PIECE, size));
  for (let offset = 0; offset < size; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, offset);
    if (bytesRead === 0) throw new Refused('The file became shorter while it was sent.');
    const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
    const body = piece.subarray(0, Math.min(bytesRead, size - offset));
    const sent = await request(to, 'PATCH', upload, { headers, body });
    offset += body.length;
    await onSent(offset, size);
    const id = sent.headers.get('postshelf-media-id');
    if (id !== null) return id;
  }
  throw new Refused('The service has received all bytes, but did not return an item.');
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

async function request(
  { url, token, signal }: Destination,
  method: string,
  path: string,
  { headers, body }: Sent,
): Promise<Response> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...VERSION, ...headers },
    // Neither the token nor the file may be sent to another address.
    redirect: 'error',
    signal,
    ...(body && { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(text || `The service answered with ${answer.status}.`);
  return answer;
}

const encoded = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join();
