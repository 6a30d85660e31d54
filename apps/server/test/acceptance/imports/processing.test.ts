import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, expectInvalid } from '../support/reply.ts';
import { idsOf, type MediaItem, oneMediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { type Gate, gate, inTurn, serve, serveGated, status } from './support/answers.ts';
import { fastMovie, megabyte, movie, picture } from './support/files.ts';
import {
  accepted,
  covered,
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

setDefaultTimeout(60_000);

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

const film = movie(2 * megabyte);

interface Running {
  readonly page: Page;
  readonly item: MediaItem;
  readonly rest: Gate;
}

/** An import that stays where it is until the row opens `rest`: half of the file is here. */
async function begin(fields: object = {}, bytes = film, name = 'film.mp4'): Promise<Running> {
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

describe('A processing item', () => {
  test.concurrent('is shown and listed as it was answered; its link gives 404 until it is active', async () => {
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
    await expectActive(world, done, film);
    expect(await listedIds('status=active')).toContain(item.id);
    expect(await listedIds('status=processing')).not.toContain(item.id);
    expect(await listedIds('type=video')).toContain(item.id);
    // "A cover isn't listed beside the other media".
    expect(await listedIds('')).not.toContain(String((await covered(world, done)).thumbnail?.id));
  });

  test.concurrent('keeps what is changed meanwhile: name, label and folder survive its completion', async () => {
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
    await expectActive(world, done, film);
    expect(await listedIds('folder_id={folder}')).toContain(item.id);
  });

  test.concurrent('waiting for its next try keeps what is changed, and takes the extension once it is known', async () => {
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

  test.concurrent('keeps its folder from being deleted', async () => {
    const folder = await world.folder('Kept');
    const { item, rest } = await begin({ folder_id: folder });
    const refused = await world.call(`DELETE /media_library/folders/${folder}`);
    expectInvalid(refused, { folder: true });
    rest.open();
    expect((await settled(world, item)).folder_id).toBe(folder);
  });
});

describe('A processing item that is deleted stops, and leaves nothing', () => {
  async function expectGone({ item, rest, page }: Running): Promise<void> {
    const reply = await world.call(`DELETE /media_contents/${item.id}`);
    expect({ status: reply.status, body: reply.text }).toEqual({ status: 204, body: '' });
    expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(404);
    expect(await listedIds('status=processing')).not.toContain(item.id);
    rest.open();
    await eventually('the import is over', () => page.open === 0 || undefined, 45_000);
    expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
    expect((await fetch(item.link)).status).toBe(404);
    expect(await filesOf(world, item)).toEqual([]);
    expect(page.requests).toHaveLength(1);
  }

  test.concurrent('a video half here', async () => expectGone(await begin()));

  test.concurrent('an image of 52 MB half here', async () => {
    await expectGone(await begin({}, picture(52 * megabyte), 'huge.jpg'));
  });

  test.concurrent('one that waits for its next try is never asked for again', async () => {
    const patient = await World.open({ ...loopback, IMPORT_RETRY_DELAYS: '1000,1000' });
    try {
      const doomed = origin.page('doomed.mp4', status(503));
      const other = origin.page('other.mp4', status(503));
      const item = accepted(await importUrl(patient, doomed.url));
      expect((await patient.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
      // The other began later and ends later, so the first would have been asked again by then.
      const last = accepted(await importUrl(patient, other.url));
      expect((await settled(patient, last)).status).toBe('failed');
      expect(other.requests).toHaveLength(3);
      expect(doomed.requests).toHaveLength(1);
      expect(await leftovers(patient)).toEqual([]);
    } finally {
      await patient.close();
    }
  });

  test.concurrent('deleted at any moment of a quick import: gone, with its file and its cover', async () => {
    const bytes = fastMovie(200_000);
    for (let round = 0; round < 6; round++) {
      const page = origin.page('quick.mp4', serve(bytes));
      const item = accepted(await importUrl(world, page.url));
      // The more rounds, the later in the import: polling takes some time itself.
      for (let polls = 0; polls < round; polls++) await show(world, item.id);
      expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
      await eventually('the import is over', () => page.open === 0 || undefined);
      expect((await world.call(`GET /media_contents/${item.id}`)).status).toBe(404);
      await eventually('no file is left', async () => (await filesOf(world, item)).length === 0 || undefined);
    }
  });
});

describe('A failed item', () => {
  let failed: MediaItem;

  beforeAll(async () => {
    const page = origin.page('gone.jpg', status(404));
    failed = await settled(world, accepted(await importUrl(world, page.url, { label: 'Failing' })));
  });

  test('has no object, and is the only kind of item with a message', async () => {
    await expectFailed(world, failed);
    expect(await listedIds('status=failed')).toContain(failed.id);
    expect(await listedIds('status=active')).not.toContain(failed.id);
    expect(await listedIds('search=failing')).toEqual([failed.id]);
    const page = await world.call(`GET ${list}?per_page=100`);
    for (const item of Object(page.json).data) {
      expect(at(item, 'error_message') === null).toBe(at(item, 'status') !== 'failed');
    }
  });

  test('can be labelled and moved, stays failed, and can be deleted', async () => {
    const changed = await world.call(`PATCH /media_contents/${failed.id}`, {
      json: { label: 'Never mind', folder_id: '{folder}' },
    });
    expect(changed.status).toBe(200);
    expect(oneMediaItem(changed)).toMatchObject({ status: 'failed', label: 'Never mind' });
    expect(oneMediaItem(changed).error_message).toBe(failed.error_message);
    expect((await world.call(`DELETE /media_contents/${failed.id}`)).status).toBe(204);
    expect((await world.call(`GET /media_contents/${failed.id}`)).status).toBe(404);
  });
});

describe('An imported item is an item like any other', () => {
  test('rename leaves its link, delete takes file and cover', async () => {
    const { item, rest } = await begin();
    rest.open();
    const done = await covered(world, await settled(world, item));
    const renamed = await world.call(`PATCH /media_contents/${item.id}`, { json: { name: 'Later' } });
    expect(oneMediaItem(renamed)).toMatchObject({ name: 'Later.mp4', link: done.link, full_name: done.full_name });
    expect((await fetch(done.link)).status).toBe(200);
    expect((await world.call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
    for (const link of [done.link, String(done.thumbnail?.link)]) expect((await fetch(link)).status).toBe(404);
    expect(await filesOf(world, item)).toEqual([]);
  });

  test('the same as an uploaded one, but for id, links and name', async () => {
    const uploaded = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
    const imported = stored(await importUrl(world, origin.page('beach.jpg', serve(fixtures.jpeg())).url));
    const { id: _, full_name: __, link: ___, ...facts } = uploaded;
    expect(imported).toMatchObject(facts);
  });

  test('what becomes active moves to the front of the list', async () => {
    const { item, rest } = await begin();
    const later = stored(await importUrl(world, origin.page('later.jpg', serve(fixtures.jpeg())).url));
    expect((await listedIds('')).indexOf(later.id)).toBeLessThan((await listedIds('')).indexOf(item.id));
    rest.open();
    await settled(world, item);
    expect((await listedIds(''))[0]).toBe(item.id);
  });
});

test('`gc` beside running imports takes nothing away from them, and reports what it did', async () => {
  const running = await Promise.all([begin(), begin({}, picture(52 * megabyte), 'huge.jpg')]);
  const report = await world.command(['gc']);
  expect(Object.keys(report).length).toBeGreaterThan(0);
  for (const value of Object.values(report)) expect(value).toBeNumber();
  for (const { rest } of running) rest.open();
  const [video, image] = await Promise.all(running.map(({ item }) => settled(world, item)));
  await expectActive(world, Object(video), film);
  await expectActive(world, Object(image), picture(52 * megabyte));
});

test('no file remains but the objects', async () => {
  await eventually('no file is left over', async () => (await leftovers(world)).length === 0 || undefined);
});
