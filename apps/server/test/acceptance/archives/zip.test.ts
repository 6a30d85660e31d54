import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { figures } from '../operate/support/figures.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { openRaw } from '../support/raw.ts';
import { expectInvalid, stringAt } from '../support/reply.ts';
import { linesOf, run } from '../support/run.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const ZIP = 'POST /workspaces/{workspace}/media_contents/zip';
const UNKNOWN = '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64';

const hasReaders = hasPrograms(['unzip', '7z', 'python3'], 'ZIP files as other programs read them');

let world: World;
let scratch: string;

beforeAll(async () => {
  scratch = scratchFolder();
  world = await World.open();
  await world.operator();
});

afterAll(async () => {
  await world.close();
  removeFolder(scratch);
});

async function linkOf(...items: readonly Pick<MediaItem, 'id'>[]): Promise<string> {
  const { status, json } = await world.call(ZIP, { json: { ids: items.map(({ id }) => id) } });
  expect(status).toBe(201);
  return stringAt(json, 'data', 'link');
}

/** Downloads an archive. @returns the path of the file */
async function download(link: string): Promise<string> {
  const response = await fetch(link);
  expect(response.status).toBe(200);
  const path = join(scratch, `${crypto.randomUUID()}.zip`);
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  return path;
}

const env = { ...process.env, LC_ALL: 'C.UTF-8' };
const runIn = (...command: readonly string[]) => run(command, { cwd: scratch, env });

/** The hashes of an archive's files by name. Python reads the archive, and verifies its checksums. */
async function contentsOf(path: string): Promise<Readonly<Record<string, string>>> {
  const script = `import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
    print(json.dumps({name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}))`;
  return JSON.parse(await runIn('python3', '-c', script, path));
}

const hash = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

describe.skipIf(!hasReaders)('a ZIP file', () => {
  test('has the files in their folders when read by Python, unzip and 7-Zip', async () => {
    const summer = await world.folder('Été 🏖️');
    const beach = await world.folder('Beach: "best"', summer);
    const [photo, twin, video] = await Promise.all([
      world.storeOne(file('día 🎉.jpg', fixtures.jpeg())),
      world.storeOne(file('día 🎉.jpg', fixtures.png())),
      world.storeOne(file('film.mp4', fixtures.mp4(2))),
    ]);
    await world.call(`PATCH /media_contents/${twin.id}`, { json: { name: 'DÍA 🎉' } });
    await world.call(`PATCH /media_contents/${video.id}`, { json: { folder_id: beach } });
    const path = await download(await linkOf(photo, video, twin));
    expect(await contentsOf(path)).toEqual({
      'día 🎉.jpg': hash(fixtures.jpeg()),
      'Été 🏖️/Beach- -best-/film.mp4': hash(fixtures.mp4(2)),
      'DÍA 🎉.png': hash(fixtures.png()),
    });
    expect(await runIn('unzip', '-t', path)).toContain('No errors detected');
    expect(await runIn('7z', 't', path)).toContain('Everything is Ok');
    const folder = join(scratch, 'unpacked');
    mkdirSync(folder);
    await runIn('unzip', '-q', path, '-d', folder);
    const unpacked = Bun.file(join(folder, 'Été 🏖️', 'Beach- -best-', 'film.mp4'));
    expect(hash(new Uint8Array(await unpacked.arrayBuffer()))).toBe(hash(fixtures.mp4(2)));
  });

  test('numbers files with the same name, and dates them in the time zone of the workspace', async () => {
    await world.call(`PATCH /workspaces/${world.ids.workspace}`, {
      token: 'operator',
      json: { timezone: 'Asia/Tokyo' },
    });
    const items: MediaItem[] = [];
    for (let n = 0; n < 30; n += 1)
      items.push(...(await world.store(...Array.from({ length: 10 }, () => file('a.gif', fixtures.gif())))));
    const link = await linkOf(...items);
    const path = await download(link);
    const names = Object.keys(await contentsOf(path));
    expect(names).toEqual(items.map((_, index) => (index === 0 ? 'a.gif' : `a (${index + 1}).gif`)));
    const times = linesOf(await runIn('python3', '-c', TIMES, path)).map((line) => Date.parse(`${line}+09:00`));
    for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(10 * 60_000);
    const head = await fetch(link, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(Bun.file(path).size));
  });

  const TIMES = `import sys, zipfile
for info in zipfile.ZipFile(sys.argv[1]).infolist(): print("%04d-%02d-%02dT%02d:%02d:%02d" % info.date_time)`;

  test('says how many items were deleted after its link was created', async () => {
    const [kept, deleted] = await world.store(file('kept.png', fixtures.png()), file('gone.png', fixtures.png()));
    const link = await linkOf(kept as MediaItem, deleted as MediaItem);
    await world.call(`DELETE /media_contents/${deleted?.id}`);
    const path = await download(link);
    expect(Object.keys(await contentsOf(path))).toEqual(['kept.png', 'Not included.txt']);
    const note = await runIn('unzip', '-p', path, 'Not included.txt');
    expect(note).toBe('1 of the selected items had been deleted before the download began.\r\n');
    const head = await fetch(link, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(Bun.file(path).size));
  });
});

describe('the link of a ZIP file', () => {
  test('downloads the file without a token, and ignores ranges', async () => {
    const link = await linkOf(await world.storeOne(file('a.png', fixtures.png())));
    const [whole, part, head] = await Promise.all([
      fetch(link),
      fetch(link, { headers: { range: 'bytes=1-3' } }),
      fetch(link, { method: 'HEAD' }),
    ]);
    expect([whole.status, part.status, head.status]).toEqual([200, 200, 200]);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.equals(Buffer.from(await part.arrayBuffer()))).toBe(true);
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    for (const { headers } of [whole, part, head]) {
      expect(headers.get('content-type')).toBe('application/zip');
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="media-\d{4}-\d\d-\d\d\.zip"$/);
      expect(headers.get('accept-ranges')).toBe('none');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('is rejected if any part of it was changed', async () => {
    const item = await world.storeOne(file('a.png', fixtures.png()));
    const [link, other] = [await linkOf(item), await linkOf(item)].map((each) => new URL(each));
    const statusOf = async (path = '', query = link?.search ?? '') =>
      (await fetch(world.server.url + path + query)).status;
    expect(await statusOf(link?.pathname, '')).toBe(403);
    expect(await statusOf(link?.pathname, `${link?.search}x`)).toBe(403);
    expect(await statusOf(link?.pathname, other?.search)).toBe(403);
    expect(await statusOf(link?.pathname.replace('.zip', ''))).toBe(404);
    expect(await statusOf(link?.pathname.replace(world.ids.workspace ?? '', UNKNOWN))).toBe(404);
    expect(await statusOf(`/files/${item.full_name}`)).toBe(200);
  });

  test('is created only for 1 to 10,000 distinct active items of the workspace', async () => {
    const { id } = await world.storeOne(file('a.png', fixtures.png()));
    const refused = async (ids: unknown, fields: Parameters<typeof expectInvalid>[1]) =>
      expectInvalid(await world.call(ZIP, { json: { ids } }), fields);
    await refused([], { ids: 'The ids field is required.' });
    await refused(undefined, { ids: 'The ids field is required.' });
    await refused([id, id.toUpperCase()], { 'ids.1': /duplicate/ });
    await refused([id, 'x'], { 'ids.1': /UUID/ });
    await refused([id, UNKNOWN], { 'ids.1': 'The selected media item is invalid.' });
    await refused(
      Array.from({ length: 10_001 }, () => crypto.randomUUID()),
      { ids: 'The ids field must not have more than 10000 items.' },
    );
    const foreign = await world.call('POST /workspaces/{foreign}/media_contents/zip', {
      token: 'foreign',
      json: { ids: [id] },
    });
    expectInvalid(foreign, { 'ids.0': 'The selected media item is invalid.' });
    expect((await world.call('POST /workspaces/{foreign}/media_contents/zip', { json: { ids: [id] } })).status).toBe(
      404,
    );
  });

  test('is created with only media:read, and stops working when the link key of the workspace is rotated', async () => {
    const item = await world.storeOne(file('a.png', fixtures.png()));
    await world.token('reader', '{workspace}', ['--scope', 'media:read']);
    await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
    const json = { ids: [item.id] };
    expect((await world.call(ZIP, { token: 'folders', json })).status).toBe(403);
    const made = await world.call(ZIP, { token: 'reader', json });
    const link = stringAt(made.json, 'data', 'link');
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    await world.call('POST /workspaces/{workspace}/rotate_link_key');
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(403);
  });

  describe('with files on disk', () => {
    let shelf: World;

    beforeAll(async () => {
      shelf = await World.open(onDisk);
    });

    afterAll(() => shelf.close());

    const pathOf = ({ full_name }: MediaItem) => join(shelf.dataDir, 'media', full_name);

    const get = async (...items: readonly MediaItem[]) => {
      const { json } = await shelf.call(ZIP, { json: { ids: items.map(({ id }) => id) } });
      return fetch(stringAt(json, 'data', 'link'));
    };

    test('returns an archive with a note about a file that is missing from the storage', async () => {
      const lost = await shelf.storeOne(file('lost.png', fixtures.png()));
      const kept = await shelf.storeOne(file('kept.png', fixtures.png()));
      rmSync(pathOf(lost));
      const text = Buffer.from(await (await get(lost, kept)).arrayBuffer()).toString('latin1');
      expect(text).toContain('The file of this item could not be found in the library: lost.png\r\n');
      expect(text.split('PK\x03\x04')).toHaveLength(3);
      expect(text).toContain('kept.png');
    });

    test('aborts the response if a file is shorter than recorded', async () => {
      const { head, zeros, tail } = fixtures.bigMp4(64 * 1024 * 1024);
      const video = await shelf.storeOne(file('film.mp4', Buffer.concat([head, Buffer.alloc(zeros), tail])));
      const { body } = await get(video);
      const reader = body?.getReader();
      await reader?.read();
      truncateSync(pathOf(video), 40 * 1024 * 1024);
      const rest = async (): Promise<void> => {
        while (!(await reader?.read())?.done);
      };
      expect(await rest().catch((error: unknown) => error)).toBeInstanceOf(Error);
    });
  });

  test('frees its slot when the client disconnects', async () => {
    const alone = await World.openAlone();
    try {
      const { head, zeros, tail } = fixtures.bigMp4(64 * 1024 * 1024);
      const video = Buffer.concat([head, Buffer.alloc(zeros), tail]);
      const items = await alone.store(file('a.mp4', video), file('b.mp4', video));
      const { json } = await alone.call(ZIP, { json: { ids: items.map(({ id }) => id) } });
      const { pathname, search } = new URL(stringAt(json, 'data', 'link'));
      const inUse = async () => (await figures(alone)).get('postshelf_work_in_use{kind="archives"}');
      const reader = await openRaw(alone.server.port);
      await reader.send(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until('the download has begun', async () => (await inUse()) === 1);
      reader.hangUp();
      await until('its slot is free', async () => (await inUse()) === 0);
    } finally {
      await alone.close();
    }
  });
});
