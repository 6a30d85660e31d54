import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { idsOf, type MediaItem, oneMediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { type Gate, gate, inTurn, serve, serveGated, status } from './support/answers.ts';
import { fastMovie, megabyte, movie } from './support/files.ts';
import {
  accepted,
  eventually,
  expectActive,
  expectFailed,
  filesOf,
  importUrl,
  leftovers,
  loopback,
  settled,
  show,
  stored,
} from './support/imports.ts';
import { type Answer, Origin, type Page } from './support/origin.ts';

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  world.ids.folder = await world.folder('Holidays');
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const video = movie(2 * megabyte);

interface Running {
  readonly page: Page;
  readonly item: MediaItem;
  readonly rest: Gate;
}

/** Starts an import. The origin sends half of the file, and the other half once the test opens `rest`. */
async function begin(fields: object = {}, bytes = video, name = 'film.mp4'): Promise<Running> {
  const rest = gate();
  const page = origin.page(name, serveGated(bytes, megabyte, rest));
  return { page, item: accepted(await importUrl(world, page.url, fields)), rest };
}

const list = '/workspaces/{workspace}/media_contents';

async function listedIds(query: string): Promise<string[]> {
  const reply = await world.call(`GET ${list}?per_page=100&${query}`);
  expect(reply.status).toBe(200);
  return idsOf(reply);
}

describe('a processing item', () => {
  test.concurrent('is shown as in the first response, and its link returns 404 until the item is active', async () => {
    const { item, rest } = await begin({ name: 'Waiting', label: 'Soon' });
    expect(item).toMatchObject({ name: 'Waiting.mp4', label: 'Soon', width: null, height: null, time: null });
    expect(await show(world, item.id)).toEqual(item);
    expect(await listedIds('status=processing')).toContain(item.id);
    expect(await listedIds('search=waiting')).toEqual([item.id]);
    expect(await listedIds('status=active')).not.toContain(item.id);
    expect(await listedIds('status=failed')).not.toContain(item.id);
    for (const method of ['GET', 'HEAD']) {
      expect((await fetch(item.link, { method })).status).toBe(404);
      expect((await fetch(item.link, { method, headers: { range: 'bytes=0-99' } })).status).toBe(404);
    }
    expect(await filesOf(world, item)).toEqual([]);
    rest.open();
    const done = await settled(world, item);
    await expectActive(world, done, video);
    expect(await listedIds('status=active')).toContain(item.id);
    expect(await listedIds('status=processing')).not.toContain(item.id);
    expect(await listedIds('type=video')).toContain(item.id);
    // A cover isn't in the list of media.
    if (hasFfmpeg) expect(await listedIds('')).not.toContain(String((await world.covered(done)).thumbnail?.id));
  });

  test.concurrent('keeps changes to its name, label and folder when it becomes active', async () => {
    const { item, rest } = await begin({ label: 'before' });
    const patch = { name: 'Renamed', label: 'after', folder_id: '{folder}' };
    const reply = await world.call(`PATCH /media_contents/${item.id}`, { json: patch });
    expect(reply.status).toBe(200);
    const kept = { label: 'after', folder_id: String(world.ids.folder) };
    expect(oneMediaItem(reply)).toMatchObject({ ...kept, status: 'processing' });
    expect(oneMediaItem(reply).name).toStartWith('Renamed');
    rest.open();
    const done = await settled(world, item);
    expect(done).toMatchObject({ ...kept, name: 'Renamed.mp4' });
    await expectActive(world, done, video);
    expect(await listedIds('folder_id={folder}')).toContain(item.id);
  });

  test.concurrent('that waits for a retry keeps its new name, and gets the extension once the type is known', async () => {
    const rest = gate();
    const waiting: Answer = async (exchange) => {
      await Promise.race([rest.opened, exchange.closed]);
      await serve(fixtures.jpeg())(exchange);
    };
    const page = origin.page('photo.png', inTurn(status(503), waiting));
    const item = accepted(await importUrl(world, page.url));
    await eventually('the second request', () => page.requests.length === 2 || undefined);
    const reply = await world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'Found at last' } });
    expect(reply.status).toBe(200);
    rest.open();
    const done = await settled(world, item);
    expect(done.name).toBe('Found at last.jpg');
    await expectActive(world, done, fixtures.jpeg());
  });
});

describe('a deleted processing item', () => {
  async function expectGone({ item, rest, page }: Running): Promise<void> {
    const reply = await world.call(`DELETE /media_contents/${item.id}`);
    expect({ status: reply.status, body: reply.text }).toEqual({ status: 204, body: '' });
    expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(404);
    expect(await listedIds('status=processing')).not.toContain(item.id);
    rest.open();
    await eventually('the import has ended', () => page.open === 0 || undefined, 45_000);
    expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
    expect((await fetch(item.link)).status).toBe(404);
    expect(await filesOf(world, item)).toEqual([]);
    expect(page.requests).toHaveLength(1);
  }

  test.concurrent('stops the import of a video, and leaves nothing', async () => expectGone(await begin()));

  test.concurrent('leaves neither file nor cover, no matter when it is deleted during a short import', async () => {
    const bytes = fastMovie(200_000);
    for (let round = 0; round < 4; round++) {
      const page = origin.page('quick.mp4', serve(bytes));
      const item = accepted(await importUrl(world, page.url));
      // Each round polls once more than the one before, so that it deletes the item at a later moment of the import.
      for (let polls = 0; polls < round; polls++) await show(world, item.id);
      expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
      await eventually('the import has ended', () => page.open === 0 || undefined);
      expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
      await eventually('only files that are due to be purged are left', async () => {
        const doomed = await world.awaitingDestruction();
        const left = await filesOf(world, item);
        return left.every((path) => doomed.some((key) => path.endsWith(key))) || undefined;
      });
    }
  });
});

test('a failed item is listed as failed, has no object, and can be changed and deleted', async () => {
  const page = origin.page('gone.jpg', status(404));
  const failed = await settled(world, accepted(await importUrl(world, page.url, { label: 'Failing' })));
  await expectFailed(world, failed);
  expect(await listedIds('status=failed')).toContain(failed.id);
  expect(await listedIds('status=active')).not.toContain(failed.id);
  expect(await listedIds('search=failing')).toEqual([failed.id]);
  const json = { label: 'Never mind', folder_id: '{folder}' };
  const changed = oneMediaItem(await world.call(`PATCH /media_contents/${failed.id}`, { json }));
  expect(changed).toEqual({ ...failed, label: 'Never mind', folder_id: String(world.ids.folder) });
  expect((await world.call(`DELETE /media_contents/${failed.id}`)).status).toBe(204);
  expect((await world.call(`GET /media_contents/${failed.id}`)).status).toBe(404);
});

test('an imported item has the same fields as an uploaded one, except for its id and links', async () => {
  const uploaded = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
  const imported = stored(await importUrl(world, origin.page('beach.jpg', serve(fixtures.jpeg())).url));
  const { id: _, full_name: __, link: ___, ...facts } = uploaded;
  expect(imported).toMatchObject(facts);
});

test('an item that becomes active moves to the front of the list, and `gc` during its import is harmless', async () => {
  const { item, rest } = await begin();
  const later = stored(await importUrl(world, origin.page('later.jpg', serve(fixtures.jpeg())).url));
  expect((await listedIds('')).slice(0, 2)).toEqual([later.id, item.id]);
  await world.run(['gc']);
  rest.open();
  await expectActive(world, await settled(world, item), video);
  expect((await listedIds(''))[0]).toBe(item.id);
});

test('an item whose client disconnects before the 201 is either complete or absent', async () => {
  const png = Buffer.concat([fixtures.png(), Buffer.alloc(100_000)]);
  const rest = gate();
  const page = origin.page('abandoned.png', inTurn(serveGated(png, 50_000, rest), serve(png)));
  const hangUp = new AbortController();
  const request = fetch(`${world.server.url}/v1/workspaces/${world.ids.workspace}/media_contents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens.all}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: page.url }),
    signal: hangUp.signal,
  });
  await eventually('the origin is requested', () => page.open === 1 || undefined);
  hangUp.abort();
  expect(await outcomeOf(request)).toThrow();
  rest.open();
  await eventually('the connection to the origin is closed', () => page.open === 0 || undefined);
  // It isn't specified whether the import continues after its client has disconnected.
  const ids = await listedIds('search=abandoned');
  for (const id of ids) await expectActive(world, await settled(world, { id }), png);
  expect(ids.length).toBeLessThanOrEqual(1);
});

test('imports leave no files except the objects of items', async () => {
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
