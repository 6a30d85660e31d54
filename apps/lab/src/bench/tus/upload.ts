import { randomUUID } from 'node:crypto';

const TUS = { 'Tus-Resumable': '1.0.0' };

/** The address where uploads are created, and the headers that it needs besides those of tus. */
export interface TusServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Uploads a file with tus 1.0 in requests of `piece` bytes at most.
 *
 * @throws Error for any answer but the expected one
 */
export async function uploadByTus(to: TusServer, file: Bun.BunFile, piece: number): Promise<void> {
  const headers = { ...to.headers, ...TUS };
  const fileName = Buffer.from(`${randomUUID()}.mp4`).toString('base64');
  const created = await fetch(to.url, {
    method: 'POST',
    headers: { ...headers, 'Upload-Length': String(file.size), 'Upload-Metadata': `filename ${fileName}` },
  });
  const location = created.headers.get('Location');
  if (created.status !== 201 || location === null)
    throw new Error(`${to.url} answered ${created.status}: ${await created.text()}`);
  for (let offset = 0; offset < file.size; offset += piece) {
    const body = file.slice(offset, Math.min(offset + piece, file.size));
    const sent = await fetch(new URL(location, to.url), {
      method: 'PATCH',
      headers: { ...headers, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body,
    });
    if (sent.status !== 204)
      throw new Error(`PATCH at ${offset} was answered with ${sent.status}: ${await sent.text()}`);
  }
}
