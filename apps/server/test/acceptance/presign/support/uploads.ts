import { expect } from 'bun:test';
import { arrayAt, at, expectInvalid, keysOf, makeReply, type Reply, stringAt } from '../../support/reply.ts';
import { type MediaItem, oneMediaItem } from '../../support/shapes.ts';
import type { World } from '../../support/world.ts';

/** The properties of a file that a client declares before it sends the file. */
export interface Announced {
  readonly name: string;
  readonly size: number;
  readonly mime: string;
  readonly on_duplicate?: 'return';
}

/** An issued presigned URL, and the headers that a client has to send. */
export interface Issued {
  readonly id: string;
  readonly name: string;
  readonly fullName: string;
  readonly link: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How an attempt differs from the upload for which its URL was issued. */
export interface Attempt {
  readonly method?: string;
  readonly url?: string;
  /** Headers that are sent instead of the issued ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests upload addresses. @returns the answer, whatever its status */
export function presign(world: World, files: unknown, token?: string | null): Promise<Reply> {
  const send = 'POST /workspaces/{workspace}/media_contents/presign';
  return world.call(send, { json: { files }, ...(token === undefined ? {} : { token }) });
}

/** Reads an issued resource, in which `upload_headers` and `expires_in` are strings. */
export function readIssued(resource: unknown): Issued {
  expect(keysOf(resource)).toEqual(
    ['id', 'name', 'full_name', 'link', 'upload_url', 'upload_headers', 'upload_method', 'expires_in'].sort(),
  );
  const headers: unknown = JSON.parse(stringAt(resource, 'upload_headers'));
  expect(Array.isArray(headers)).toBe(false);
  return {
    id: stringAt(resource, 'id'),
    name: stringAt(resource, 'name'),
    fullName: stringAt(resource, 'full_name'),
    link: stringAt(resource, 'link'),
    url: stringAt(resource, 'upload_url'),
    headers: Object.fromEntries(keysOf(headers).map((name) => [name, stringAt(headers, name)])),
  };
}

/** Requests one upload address, which must succeed. */
export async function issue(world: World, bytes: Uint8Array, file: Partial<Announced> = {}): Promise<Issued> {
  const reply = await presign(world, [{ name: 'beach.jpg', size: bytes.length, mime: 'image/jpeg', ...file }]);
  if (reply.status !== 201) throw new Error(`The address was refused with ${reply.status}: ${reply.text}`);
  return readIssued(at(arrayAt(reply.json, 'data'), 0));
}

/** Sends bytes to an upload address as a client would, or with the changes of an attacker. */
export async function send(issued: Issued, bytes: Uint8Array, attempt: Attempt = {}): Promise<Reply> {
  const { method = 'PUT', url = issued.url, headers = issued.headers } = attempt;
  const bare = method === 'GET' || method === 'HEAD';
  const init: RequestInit & { keepalive: boolean } = { method, headers, keepalive: false, redirect: 'manual' };
  // With a Blob, `fetch` would send the Blob's type if an attempt leaves out the Content-Type header.
  if (!bare) init.body = Buffer.from(bytes);
  const response = await fetch(url, init);
  return makeReply(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
}

/** Uploads bytes, which must succeed. */
export async function upload(issued: Issued, bytes: Uint8Array): Promise<void> {
  const reply = await send(issued, bytes);
  if (reply.status !== 200) throw new Error(`The upload was refused with ${reply.status}: ${reply.text}`);
}

export const confirm = (world: World, { id }: { readonly id: string }, token?: string) =>
  world.call(`POST /media_contents/${id}/confirm`, token === undefined ? {} : { token });

/** Confirms an upload, which must succeed. @returns the item */
export async function confirmed(world: World, issued: { readonly id: string }): Promise<MediaItem> {
  const reply = await confirm(world, issued);
  if (reply.status !== 200) throw new Error(`The confirmation was refused with ${reply.status}: ${reply.text}`);
  expect(keysOf(reply.json)).toEqual(['data', 'message']);
  return oneMediaItem(reply);
}

export async function show(world: World, { id }: { readonly id: string }): Promise<MediaItem> {
  const reply = await world.call(`GET /media_contents/${id}`);
  expect({ status: reply.status, keys: keysOf(reply.json) }).toEqual({ status: 200, keys: ['data'] });
  return oneMediaItem(reply);
}

/** Checks that confirming is refused with 422 on `file`, and that the item stays `temporary`. */
export async function expectNotUploaded(world: World, issued: Issued): Promise<void> {
  expectInvalid(await confirm(world, issued), { file: true });
  expect((await show(world, issued)).status).toBe('temporary');
}

/**
 * Checks that the item is `active`, and that its link serves exactly these bytes.
 *
 * @param redirects whether the link redirects to the storage
 */
export async function expectServed(item: MediaItem, bytes: Uint8Array, redirects = false): Promise<void> {
  expect(item).toMatchObject({ status: 'active', error_message: null, size: bytes.length });
  const first = await fetch(item.link, { redirect: 'manual' });
  await first.arrayBuffer();
  expect(first.status).toBe(redirects ? 302 : 200);
  const response = await fetch(item.link);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
}

/**
 * Changes a time of an upload in the database, because a test can't wait for a day, and the service has no setting
 * for its clock. The client's URL stays as it was signed.
 *
 * @param column `expires_at`: when the URL expires; `lease_until`: until when a confirmation counts as running
 * @param time milliseconds since the epoch
 */
export async function setTime(
  { database }: World,
  id: string,
  column: 'expires_at' | 'lease_until',
  time: number,
): Promise<void> {
  const whole = Math.floor(time / 1000) * 1000;
  const changed = await database.change(`update presigned_uploads set ${column} = ${whole} where media_id = '${id}'`);
  expect(changed).toBe(1);
}
