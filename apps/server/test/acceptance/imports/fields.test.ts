import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { serve } from './support/answers.ts';
import {
  accepted,
  expectActive,
  importUrl,
  leftovers,
  listed,
  loopback,
  settled,
  stored,
  upload,
} from './support/imports.ts';
import { Origin, type Page } from './support/origin.ts';

// packages/domain/test/media/name.test.ts tests how names are normalised.
/** A stem of at most 100 code points, without control characters, path separators, or characters that reverse text. */
const harmless = /^(?![.\s])[^\p{Cc}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,100}\.jpg$/u;

let world: World;
let origin: Origin;
let beach: Page;
let video: Page;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  beach = origin.page('beach.jpg', serve(fixtures.jpeg()));
  video = origin.page('film.mp4', serve(fixtures.mp4()));
  world.ids.beach = beach.url;
  world.ids.folder = await world.folder('Holidays');
  world.ids.gone = await world.folder('Gone');
  await world.call('DELETE /media_library/folders/{gone}');
  await world.token('reader', '{workspace}', ['--scope', 'media:read', '--scope', 'folders:write']);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

describe('an import is rejected, before any request to the origin, for', () => {
  // packages/api/test/operations/fields tests the rules of every field.
  const url = '{beach}';
  const rows: readonly Row[] = [
    row('a missing url', upload, {}, 422, { url: 'The url field is required.' }),
    row('a url of 2049 characters', upload, { url: `http://127.0.0.1/${'x'.repeat(2032)}` }, 422, { url: /2048/ }),
    row('a name of two emoji', upload, { url, name: '🏖🏖' }, 422, {
      name: 'The name field must be at least 3 characters.',
    }),
    row('a deleted folder', upload, { url, folder_id: '{gone}' }, 422, { folder_id: true }),
    row(
      'several invalid fields, with an error for each',
      upload,
      { url: 'http://a:b@example.com/', name: 'n', label: 7, folder_id: '{unknown}' },
      422,
      { url: true, name: true, label: true, folder_id: true },
    ),
    { ...row('a token without the scope', upload, { url }, 403), token: 'reader', message: /media:write/ },
    {
      ...row('a missing token, even with invalid fields', upload, { url: 'http://10.0.0.1/', name: 'n' }, 401),
      token: null,
    },
    { ...row('another workspace, even with invalid fields', upload, { url: 'x', name: 'n' }, 404), token: 'foreign' },
    {
      name: 'a body that is not JSON',
      send: upload,
      headers: { 'content-type': 'text/uri-list' },
      body: 'http://127.0.0.1/',
      status: 415,
    },
  ];
  table(() => world, rows);

  test('a url in a multipart body', async () => {
    const reply = await world.upload([{ name: 'url', value: beach.url }]);
    expect(reply.status).toBe(422);
    expectErrorShape(reply);
    expect(beach.requests).toHaveLength(0);
  });
});

describe('an import accepts', () => {
  test('a url of 2048 code points, and requests it unchanged', async () => {
    const page = origin.page('', serve(fixtures.jpeg()));
    const url = `${page.url}?${'x'.repeat(2047 - page.url.length)}`;
    expect(url).toHaveLength(2048);
    stored(await importUrl(world, url));
    expect(page.requests.map(({ target }) => target)).toEqual([url.slice(origin.base().length)]);
    stored(await importUrl(world, `${page.url}?${'🏖'.repeat(500)}`));
  });

  test('a label and a folder for images and videos, or null instead', async () => {
    const fields = { label: '🏖'.repeat(250), folder_id: '{folder}' };
    const kept = { ...fields, folder_id: String(world.ids.folder) };
    expect(stored(await importUrl(world, beach.url, fields))).toMatchObject(kept);
    const item = accepted(await importUrl(world, video.url, fields));
    expect(item).toMatchObject(kept);
    expect(await settled(world, item)).toMatchObject(kept);
    const none = { label: null, folder_id: null };
    expect(stored(await importUrl(world, beach.url, { ...none, name: null }))).toMatchObject(none);
  });

  test('unknown fields, and ignores them', async () => {
    const unknown = {
      id: '{unknown}',
      status: 'active',
      size: 1,
      link: 'http://x/',
      workspace: '{foreign}',
      files: [1],
    };
    const item = stored(await importUrl(world, beach.url, unknown));
    expect(item.size).toBe(fixtures.jpeg().length);
    expect(item.id).not.toBe(String(world.ids.unknown));
  });
});

describe('the name of an imported item', () => {
  const given: readonly [string | null, string][] = [
    ['At the sea.png', 'At the sea.jpg'],
    ['../../etc/passwd', '-..-etc-passwd.jpg'],
    ['\u202egpj.exe', 'gpj.exe.jpg'],
    [null, 'beach.jpg'],
  ];
  for (const [name, kept] of given) {
    test.concurrent(`${JSON.stringify(name)?.slice(0, 30)} is stored as ${kept.slice(0, 30)}`, async () => {
      const item = stored(await importUrl(world, beach.url, { name }));
      expect(item.name).toBe(kept);
      await expectActive(world, item, fixtures.jpeg());
    });
  }

  test.concurrent('of a video has the extension of its real type even before the import ends', async () => {
    const item = accepted(await importUrl(world, video.url, { name: 'holiday.jpg' }));
    expect(item.name).toBe('holiday.mp4');
    expect((await settled(world, item)).name).toBe('holiday.mp4');
  });

  /** Row: the last segment of the URL, and the resulting name. */
  const inUrls: readonly [string, string | RegExp][] = [
    ['b%C3%A9b%C3%A9%20day.jpg', 'bébé day.jpg'],
    ['', harmless],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', harmless],
    ['%ff%zz.jpg', harmless],
  ];
  for (const [sent, kept] of inUrls) {
    test.concurrent(`from a URL ending in ${sent.slice(0, 40)} is ${typeof kept === 'string' ? kept : 'harmless'}`, async () => {
      const item = stored(await importUrl(world, origin.page(sent, serve(fixtures.jpeg())).url));
      if (typeof kept === 'string') expect(item.name).toBe(kept);
      expect(item.name).toMatch(harmless);
      expect(decodeURIComponent(item.link)).toBe(`${world.ids.url}/files/${item.full_name}`);
      await expectActive(world, item, fixtures.jpeg());
    });
  }
});

test('rejected imports are not listed and leave nothing in the storage', async () => {
  expect(await listed(world, 'processing')).toEqual([]);
  expect(await leftovers(world)).toEqual([]);
});
