import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { expectErrorShape, type FailingFields } from '../support/reply.ts';
import { type Row, table } from '../support/table.ts';
import { type CallOptions, World } from '../support/world.ts';
import { serve } from './support/answers.ts';
import {
  accepted,
  expectActive,
  importUrl,
  itemCount,
  leftovers,
  loopback,
  settled,
  show,
  stored,
  upload,
} from './support/imports.ts';
import { Origin, type Page } from './support/origin.ts';

setDefaultTimeout(60_000);

let world: World;
let origin: Origin;
let beach: Page;
let film: Page;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  beach = origin.page('beach.jpg', serve(fixtures.jpeg()));
  film = origin.page('film.mp4', serve(fixtures.mp4()));
  world.ids.beach = beach.url;
  world.ids.folder = await world.folder('Holidays');
  world.ids.gone = await world.folder('Gone');
  await world.call('DELETE /media_library/folders/{gone}');
  const elsewhere = await world.call('POST /workspaces/{foreign}/media_library/folders', {
    token: 'foreign',
    json: { name: 'Elsewhere', parent_id: null },
  });
  world.ids.elsewhere = String(Object(Object(elsewhere.json).data).id);
  await world.token('reader', '{workspace}', ['--scope', 'media:read', '--scope', 'folders:write']);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

/** Nothing but the named fields fails, and the origin isn't asked for a request that fails anyway. */
function refusals(rows: readonly (readonly [name: string, json: unknown, invalid: FailingFields])[]): void {
  table(
    () => world,
    rows.map(([name, json, invalid]): Row => {
      let asked = 0;
      return {
        name,
        send: upload,
        json,
        status: 422,
        invalid,
        before: () => {
          asked = origin.connections;
        },
        after: () => expect(origin.connections).toBe(asked),
      };
    }),
  );
}

const ofLength = (length: number) => `http://127.0.0.1/${'x'.repeat(length - 'http://127.0.0.1/'.length)}`;

describe('url: "string, URI, required … max 2048 characters"', () => {
  refusals([
    ['missing', {}, { url: 'The url field is required.' }],
    ['null', { url: null }, { url: true }],
    ['empty', { url: '' }, { url: true }],
    ['blank', { url: '   ' }, { url: true }],
    ['a number', { url: 1 }, { url: true }],
    ['true', { url: true }, { url: true }],
    ['an array', { url: ['{beach}'] }, { url: true }],
    ['an object', { url: { href: '{beach}' } }, { url: true }],
    ['2049 characters', { url: ofLength(2049) }, { url: /2048/ }],
    ['half a million characters', { url: ofLength(500_000) }, { url: true }],
    ['2049 characters of which most are emoji', { url: `http://127.0.0.1/${'🏖'.repeat(2049 - 17)}` }, { url: true }],
    ['a lone surrogate in the host', { url: 'http://\ud800/' }, { url: true }],
  ]);

  test('2048 characters are taken', async () => {
    const page = origin.page('', serve(fixtures.jpeg()));
    const url = `${page.url}?${'x'.repeat(2047 - page.url.length)}`;
    expect(url).toHaveLength(2048);
    stored(await importUrl(world, url));
    expect(page.requests.map(({ target }) => target)).toEqual([url.slice(origin.base().length)]);
  });

  test('2048 code points are taken, whatever they take in UTF-16', async () => {
    const page = origin.page('', serve(fixtures.jpeg()));
    stored(await importUrl(world, `${page.url}?${'🏖'.repeat(500)}`));
  });
});

describe('name: "3 to 100 characters; no extension needed"', () => {
  refusals([
    ['2 characters', { url: '{beach}', name: 'ab' }, { name: 'The name field must be at least 3 characters.' }],
    [
      '101 characters',
      { url: '{beach}', name: 'n'.repeat(101) },
      { name: 'The name field must not be greater than 100 characters.' },
    ],
    ['empty', { url: '{beach}', name: '' }, { name: true }],
    ['two emoji, four units of UTF-16', { url: '{beach}', name: '🏖🏖' }, { name: true }],
    ['101 emoji', { url: '{beach}', name: '🏖'.repeat(101) }, { name: true }],
    ['a number', { url: '{beach}', name: 12345 }, { name: true }],
    ['an array', { url: '{beach}', name: ['abc'] }, { name: true }],
    ['controls alone', { url: '{beach}', name: '\u0001\u0002\u0003\u0004' }, { name: true }],
    ['three spaces', { url: '{beach}', name: '   ' }, { name: true }],
    ['a hundred thousand characters', { url: '{beach}', name: 'n'.repeat(100_000) }, { name: true }],
  ]);

  const given: readonly [string | null, string][] = [
    ['abc', 'abc.jpg'],
    ['n'.repeat(100), `${'n'.repeat(100)}.jpg`],
    ['🏖🏖🏖', '🏖🏖🏖.jpg'],
    ['🏖'.repeat(100), `${'🏖'.repeat(100)}.jpg`],
    ['At the sea', 'At the sea.jpg'],
    ['At the sea.jpg', 'At the sea.jpg'],
    ['At the sea.png', 'At the sea.jpg'],
    ['version 1.2', 'version 1.2.jpg'],
    ['Cafe\u0301', 'Café.jpg'],
    [null, 'beach.jpg'],
  ];
  for (const [name, kept] of given) {
    test.concurrent(`${JSON.stringify(name)?.slice(0, 30)} → ${kept.slice(0, 30)}`, async () => {
      const item = stored(await importUrl(world, beach.url, { name }));
      expect(item.name).toBe(kept);
      await expectActive(world, item, fixtures.jpeg());
    });
  }

  test.concurrent('the extension of a video comes from its bytes, at once and in the end', async () => {
    const item = accepted(await importUrl(world, film.url, { name: 'holiday.jpg' }));
    expect(item.name).toBe('holiday.mp4');
    expect((await settled(world, item)).name).toBe('holiday.mp4');
  });

  test.concurrent('hostile names lose what is hostile in them', async () => {
    for (const name of ['../../etc/passwd', 'a/b\\c\0d', '\u202egpj.exe', 'one\r\ntwo\ttwo', '...hidden...']) {
      const item = stored(await importUrl(world, beach.url, { name }));
      expectHarmless(item.name);
      await expectActive(world, item, fixtures.jpeg());
    }
  });
});

describe('label: "Max 250 characters", folder_id: "Folder from the folder list"', () => {
  refusals([
    [
      'a label of 251',
      { url: '{beach}', label: 'l'.repeat(251) },
      { label: 'The label field must not be greater than 250 characters.' },
    ],
    ['a label that is a number', { url: '{beach}', label: 7 }, { label: true }],
    ['a folder of another workspace', { url: '{beach}', folder_id: '{elsewhere}' }, { folder_id: true }],
    ['a folder that never was', { url: '{beach}', folder_id: '{unknown}' }, { folder_id: true }],
    ['a folder that is gone', { url: '{beach}', folder_id: '{gone}' }, { folder_id: true }],
    ['no UUID', { url: '{beach}', folder_id: 'root' }, { folder_id: true }],
    ['a number', { url: '{beach}', folder_id: 1 }, { folder_id: true }],
    ['an array', { url: '{beach}', folder_id: ['{folder}'] }, { folder_id: true }],
  ]);

  test('a foreign folder, an unknown one and a deleted one get the same answer', async () => {
    const replies = await Promise.all(
      ['{elsewhere}', '{unknown}', '{gone}'].map((id) => importUrl(world, beach.url, { folder_id: id })),
    );
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
  });

  test('both are kept, for an image and for a video, also as null', async () => {
    const fields = { label: '🏖'.repeat(250), folder_id: '{folder}' };
    const kept = { ...fields, folder_id: String(world.ids.folder) };
    expect(stored(await importUrl(world, beach.url, fields))).toMatchObject(kept);
    const item = accepted(await importUrl(world, film.url, fields));
    expect(item).toMatchObject(kept);
    expect(await settled(world, item)).toMatchObject(kept);
    const none = { label: null, folder_id: null };
    expect(stored(await importUrl(world, beach.url, { ...none, name: null }))).toMatchObject(none);
  });
});

describe('"**all** failing fields are reported at once"', () => {
  refusals([
    ['four', { name: 'n', label: 7, folder_id: 'x' }, { url: true, name: true, label: true, folder_id: true }],
    [
      'a URL that can be seen to be wrong, a folder that must be looked up',
      { url: 'ftp://example.com/', name: 'n'.repeat(101), label: 'l'.repeat(251), folder_id: '{elsewhere}' },
      { url: true, name: true, label: true, folder_id: true },
    ],
    [
      'credentials, a folder that must be looked up',
      { url: 'http://a:b@example.com/', folder_id: '{unknown}' },
      { url: true, folder_id: true },
    ],
  ]);
});

describe('Who may: 401, then 404 of a workspace, 403 of a scope, before anything of the body', () => {
  const bad = { url: 'http://10.0.0.1/', name: 'n' };
  const rows: readonly Row[] = [
    { name: 'no token', send: upload, token: null, json: { url: '{beach}' }, status: 401, message: 'Unauthenticated.' },
    { name: 'no token, and a body that is no JSON', send: upload, token: null, body: '{', status: 401 },
    { name: 'a token that is none', send: upload, token: 'x.y.z', json: bad, status: 401, message: 'Unauthenticated.' },
    { name: 'no scope', send: upload, token: 'reader', json: { url: '{beach}' }, status: 403, message: /media:write/ },
    { name: 'no scope, and fields that fail', send: upload, token: 'reader', json: bad, status: 403 },
    { name: 'a foreign workspace', send: upload, token: 'foreign', json: { url: '{beach}' }, status: 404 },
    { name: 'a foreign workspace, and fields that fail', send: upload, token: 'foreign', json: bad, status: 404 },
    {
      name: 'an unknown workspace',
      send: 'POST /workspaces/{unknown}/media_contents',
      json: { url: '{beach}' },
      status: 404,
      message: 'Not found.',
    },
    {
      name: 'a workspace that is no UUID',
      send: 'POST /workspaces/mine/media_contents',
      json: { url: '{beach}' },
      status: 404,
      message: 'Not found.',
    },
  ];
  table(
    () => world,
    rows.map((row): Row => {
      let asked = 0;
      return {
        ...row,
        before: () => {
          asked = beach.requests.length;
        },
        after: () => expect(beach.requests).toHaveLength(asked),
      };
    }),
  );
});

describe('The body is JSON, or multipart', () => {
  const body = () => JSON.stringify({ url: beach.url });
  const types: readonly [string, number][] = [
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON;charset="UTF-8"', 201],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonx', 415],
    ['application/json+x', 415],
    ['text/json', 415],
    ['image/jpeg', 415],
    ['text/uri-list', 415],
  ];
  for (const [type, status] of types) {
    test(`${type}: ${status}`, async () => {
      const asked = beach.requests.length;
      const reply = await world.call(upload, { headers: { 'content-type': type }, body: body() });
      expect({ status: reply.status, body: reply.text }).toEqual({ status, body: reply.text });
      if (status === 415) expectErrorShape(reply);
      expect(beach.requests).toHaveLength(asked + (status === 201 ? 1 : 0));
    });
  }

  const broken: readonly [string, CallOptions, number[]][] = [
    ['no content type', { body: Buffer.from('{"url":"http://127.0.0.1/"}') }, [400, 415]],
    ['cut off', { headers: { 'content-type': 'application/json' }, body: '{"url":"http://' }, [400]],
    ['a form', { headers: { 'content-type': 'application/json' }, body: 'url=http://127.0.0.1/' }, [400]],
    ['empty', { headers: { 'content-type': 'application/json' }, body: '' }, [400, 422]],
    ['null', { json: null }, [400, 422]],
    ['an array', { json: [{ url: 'http://127.0.0.1/' }] }, [400, 422]],
    ['a string', { json: 'http://127.0.0.1/' }, [400, 422]],
    ['two megabytes', { json: { url: 'http://127.0.0.1/', filler: 'x'.repeat(2 * 1024 * 1024) } }, [413]],
  ];
  for (const [name, options, statuses] of broken) {
    test(`${name}: ${statuses.join(' or ')}`, async () => {
      const reply = await world.call(upload, options);
      expect(statuses).toContain(reply.status);
      expectErrorShape(reply);
    });
  }

  test('"Unknown JSON fields are ignored"', async () => {
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

  test('a url in a multipart body is no import', async () => {
    const asked = beach.requests.length;
    const reply = await world.upload([{ name: 'url', value: beach.url }]);
    expect(reply.status).toBe(422);
    expect(beach.requests).toHaveLength(asked);
  });
});

/** Cc, path separators, and the characters that turn text around. */
const forbidden = /[\p{Cc}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function expectHarmless(name: string): void {
  expect(name).not.toMatch(forbidden);
  expect(name).toMatch(/^[^.\s].*\.jpg$/);
  expect([...name].length).toBeLessThanOrEqual(104);
}

describe('"defaults to the file name of the URL", "control characters, path separators and bidi overrides never survive"', () => {
  const rows: readonly [string, string | null][] = [
    ['beach.jpg', 'beach.jpg'],
    ['beach.jpeg', 'beach.jpg'],
    ['beach.png', 'beach.jpg'],
    ['beach', 'beach.jpg'],
    ['b.jpg', 'b.jpg'],
    ['photo.php?file=other.png', 'photo.jpg'],
    ['photo.jpg?a/b/c.gif', 'photo.jpg'],
    ['photo.jpg#other.gif', 'photo.jpg'],
    ['beach%20day.jpg', 'beach day.jpg'],
    ['b%C3%A9b%C3%A9.jpg', 'bébé.jpg'],
    ['be%CC%81be%CC%81.jpg', 'bébé.jpg'],
    ['%E6%B5%B7.jpg', '海.jpg'],
    ['100%25.jpg', '100%.jpg'],
    ['a+b.jpg', 'a+b.jpg'],
    ['a%2Bb.jpg', 'a+b.jpg'],
    ['beach.jpg%3Fsize=1', null],
    ['', null],
    ['folder/', null],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', null],
    ['a%2fb%5cc.jpg', null],
    ['nul%00byte.jpg', null],
    ['line%0d%0abreak.jpg', null],
    ['%E2%80%AEgpj.exe', null],
    ['%ff%fe.jpg', null],
    ['%zz.jpg', null],
    ['100%.jpg', null],
    ['.htaccess', null],
    ['%20%20.jpg', null],
    ['CON.jpg', null],
    [`${'long'.repeat(100)}.jpg`, null],
    [`${'%F0%9F%8F%96'.repeat(120)}.jpg`, null],
    ['<script>alert(1)<script>.jpg', null],
    ["'!()*.jpg", null],
  ];
  for (const [sent, kept] of rows) {
    test.concurrent(`${sent.slice(0, 40)} → ${kept ?? 'something harmless'}`, async () => {
      const page = origin.page(sent, serve(fixtures.jpeg()));
      const item = stored(await importUrl(world, page.url));
      expectHarmless(item.name);
      if (kept !== null) expect(item.name).toBe(kept);
      expect(decodeURIComponent(item.link)).toBe(`${world.ids.url}/files/${item.full_name}`);
      await expectActive(world, item, fixtures.jpeg());
      expect(await show(world, item.id)).toEqual(item);
    });
  }

  test.concurrent('a URL without a path', async () => {
    const root = await Origin.open();
    const item = accepted(await importUrl(world, root.base()));
    expect(item.name.length).toBeGreaterThan(0);
    expect((await settled(world, item)).status).toBe('failed');
    root.close();
  });
});

test('nothing of what was refused is listed or lies about', async () => {
  expect(await itemCount(world)).toBeGreaterThan(40);
  const refused = await world.call('GET /workspaces/{workspace}/media_contents?status=processing');
  expect(Object(refused.json).data).toEqual([]);
  expect(await leftovers(world)).toEqual([]);
});
