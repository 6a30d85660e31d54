import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { arrayAt } from '../support/reply.ts';
import { mediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { gate, head, inTurn, serve, serveGated, stallAfter } from './support/answers.ts';
import { fastMovie, megabyte } from './support/files.ts';
import { accepted, eventually, expectActive, importUrl, leftovers, loopback, settled } from './support/imports.ts';
import { type Answer, Origin } from './support/origin.ts';

// The limits themselves are tested against a clock that tests move: packages/media/test/fetch/time-limits.test.ts.
setDefaultTimeout(150_000);

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
});

afterAll(async () => {
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
  origin.close();
  await world.close();
});

const film = fastMovie(2 * megabyte);
const png = Buffer.concat([fixtures.png(), Buffer.alloc(100_000)]);
const stalled = (bytes: Uint8Array, stop: number): Answer =>
  stallAfter(head({ length: bytes.length }), bytes.subarray(0, stop));

/** Row: what the origin does at first, what it then serves, and between how many seconds it is asked again. */
const rows: readonly [string, Answer, Uint8Array, number, number][] = [
  ['gives no answer within 10 s', stallAfter(), film, 9, 20],
  ['gives a head within 10 s, and no body', stallAfter(head({ length: 5000 })), film, 9, 20],
  ...sized<[string, Answer, Uint8Array, number, number][]>(
    [],
    [
      ['stops in a video for 30 s', stalled(film, megabyte), film, 29, 45],
      ['stops in an image for 30 s', stalled(png, 50_000), png, 29, 45],
    ],
  ),
];
for (const [name, answer, bytes, least, most] of rows) {
  test.concurrent(`an origin that ${name} is hung up on and asked again`, async () => {
    const page = origin.page('film.mp4', inTurn(answer, serve(bytes)));
    const item = accepted(await importUrl(world, page.url));
    await expectActive(world, await settled(world, item, 60_000), bytes);
    const [first, second, ...more] = page.requests.map((request) => request.at / 1000);
    expect(more).toEqual([]);
    expect(Number(second) - Number(first)).toBeWithin(least, most);
    await eventually('the connections are gone', () => page.open === 0 || undefined);
  });
}

test.concurrent('an item deleted while its origin says nothing: the origin is hung up on', async () => {
  const page = origin.page('film.mp4', serveGated(film, megabyte, gate()));
  const item = accepted(await importUrl(world, page.url));
  expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
  // A worker may learn of it only when it renews its lease of 30 seconds.
  await eventually('the connection is gone', () => page.open === 0 || undefined, 35_000);
  expect(page.requests).toHaveLength(1);
});

test.concurrent('a client that hangs up before its 201: the item is whole or not at all', async () => {
  const rest = gate();
  const page = origin.page('abandoned.png', inTurn(serveGated(png, 50_000, rest), serve(png)));
  const hangUp = new AbortController();
  const request = fetch(`${world.server.url}/v1/workspaces/${world.ids.workspace}/media_contents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens.all}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: page.url }),
    signal: hangUp.signal,
  });
  await eventually('the origin is asked', () => page.open === 1 || undefined);
  hangUp.abort();
  await expect(request).rejects.toThrow();
  rest.open();
  await eventually('the origin is let go', () => page.open === 0 || undefined);
  // Whether the import goes on without its client is left open.
  const found = await world.call('GET /workspaces/{workspace}/media_contents?search=abandoned');
  const items = arrayAt(found.json, 'data').map(mediaItem);
  for (const item of items) await expectActive(world, await settled(world, item), png);
  expect(items.length).toBeLessThanOrEqual(1);
});
