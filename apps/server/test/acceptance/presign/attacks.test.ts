import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type Library, onFiles } from './support/storages.ts';
import {
  type Attempt,
  confirmed,
  expectNotUploaded,
  expectServed,
  type Issued,
  issue,
  send,
  upload,
} from './support/uploads.ts';

// Contract tests (packages/testing/src/contracts/presign-storage) check which uploads a storage itself refuses. These
// tests check which uploads the service's own route refuses.
/** Expects an error in the service's form, after which the item still waits for its file. */
async function expectRefused(library: Library, issued: Issued, bytes: Uint8Array, attempt: Attempt) {
  const reply = await send(issued, bytes, attempt);
  expect({ status: reply.status >= 400 && reply.status < 500, is: reply.status, ...attempt }).toEqual({
    status: true,
    is: reply.status,
    ...attempt,
  });
  if (attempt.method !== 'HEAD') expectErrorShape(reply);
  expect(await library.world.keptFiles(issued.id)).toEqual([]);
  await expectNotUploaded(library.world, issued);
}

/** The URL with a different value of one query parameter, or without this parameter. */
function changed(url: string, name: string, value: string | null): string {
  const address = new URL(url);
  if (value === null) address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  return address.href;
}

/** The text with a different last character. */
const otherText = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

describe('a presigned URL', () => {
  let library: Library;
  beforeAll(async () => {
    library = await onFiles.open();
  });
  afterAll(() => library.close());

  const bytes = fixtures.jpeg();
  const attempts: readonly [string, Uint8Array, Attempt][] = [
    ['one byte longer', Buffer.concat([bytes, Buffer.from('x')]), {}],
    ['one byte shorter', bytes.subarray(0, -1), {}],
    ['empty', new Uint8Array(), {}],
    ['as HTML', bytes, { headers: { 'Content-Type': 'text/html' } }],
    ['as another of the six types', bytes, { headers: { 'Content-Type': 'image/png' } }],
    ['without a type', bytes, { headers: {} }],
    ['by POST', bytes, { method: 'POST' }],
    ['by PATCH', bytes, { method: 'PATCH' }],
    ['by DELETE', new Uint8Array(), { method: 'DELETE' }],
    ['read by GET', new Uint8Array(), { method: 'GET' }],
    ['read by HEAD', new Uint8Array(), { method: 'HEAD' }],
  ];
  test('refuses every upload except the one that it was issued for', async () => {
    const issued = await issue(library.world, bytes);
    for (const [name, body, attempt] of attempts) {
      await expectRefused(library, issued, body, attempt).catch((error) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
      });
    }
    const { url, headers } = issued;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const chunked = await fetch(url, { method: 'PUT', headers, body });
    expect(await chunked.json()).toEqual({ message: `The upload needs a Content-Length of ${bytes.length}.` });
    await upload(issued, bytes);
    await expectServed(await confirmed(library.world, issued), bytes);
  });

  test('refuses an upload if any query parameter is changed or missing', async () => {
    const issued = await issue(library.world, bytes);
    const { searchParams } = new URL(issued.url);
    expect(searchParams.size).toBeGreaterThan(2);
    for (const [name, value] of searchParams) {
      for (const other of [otherText(value), '', null]) {
        // This value would leave the URL unchanged.
        if (other === value) continue;
        await expectRefused(library, issued, bytes, { url: changed(issued.url, name, other) });
      }
    }
    await expectRefused(library, issued, bytes, { url: issued.url.slice(0, issued.url.indexOf('?')) });
  });

  test("refuses another item's id and another item's signature", async () => {
    const issued = await issue(library.world, bytes);
    const other = await issue(library.world, bytes);
    await expectRefused(library, other, bytes, { url: issued.url.replaceAll(issued.id, other.id) });
    const swapped = new URL(issued.url);
    swapped.search = new URL(other.url).search;
    await expectRefused(library, issued, bytes, { url: swapped.href });
    await expectNotUploaded(library.world, other);
  });

  test('keeps an unconfirmed file across garbage collection and a kill of the server', async () => {
    const { world } = library;
    const issued = await issue(world, fixtures.mp4(), { name: 'film.mp4', mime: 'video/mp4' });
    await upload(issued, fixtures.mp4());
    await world.run(['gc']);
    await world.server.end('SIGKILL');
    await world.restart();
    await expectServed(await confirmed(world, issued), fixtures.mp4());
    expect(await library.world.keptFiles(issued.id)).toHaveLength(1);
  });
});
