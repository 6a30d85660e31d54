import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { makePost, makeProfile } from '../posts/support/posts.ts';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at, expectErrorShape, stringAt } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { type Row, row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  world.ids.media = (await world.storeOne(file('beach.png', png()))).id;
  world.ids.profile = await makeProfile(world);
  world.ids.post = (await makePost(world)).id;
  world.ids.idle = await makeProfile(world);
  await world.token('reader', '{workspace}', ['--scope', 'media:read']);
});

afterAll(() => world.close());

const create = 'POST /workspaces/{workspace}/media_library/folders';
const json = { 'content-type': 'application/json' };

// packages/api/test/body/json.test.ts tests how JSON bodies are read.
describe('a request body', () => {
  const change = 'PATCH /media_contents/{media}';
  const JSON_TYPE = 'application/json';
  const eight = 8 * 1024 * 1024;
  /** Row: a description, the request, the body's type and bytes, and the expected answer. */
  const bodies: readonly (readonly [string, string, string, string | Uint8Array, Row['status']])[] = [
    ['truncated JSON', create, JSON_TYPE, '{"name":"x"', 400],
    ['an array', create, JSON_TYPE, '[]', [400, 422]],
    ['text', create, 'text/plain', '{"name":"Typed"}', 415],
    ['a form', change, 'application/x-www-form-urlencoded', '{"name":"Typed"}', 415],
    ['JSON with a charset', create, 'application/json; charset=utf-8', '{"name":"Typed"}', 201],
    ['a name of eight megabytes', create, JSON_TYPE, JSON.stringify({ name: 'n'.repeat(eight) }), 413],
  ];
  const ignored = '{"name":"Ignoring","id":"1","is_system":true,"workspace":"x","__proto__":1,"deep":{"a":[1,{}]}}';
  table(
    () => world,
    [
      ...bodies.map(([name, send, type, body, status]): Row => {
        return {
          name: `of ${name} returns ${[status].flat().join(' or ')}`,
          send,
          headers: { 'content-type': type },
          body,
          status,
        };
      }),
      {
        ...row('with unknown fields is accepted without them', create, undefined, 201, {
          data: { id: expect.any(String), name: 'Ignoring', parent_id: null },
          message: expect.any(String),
        }),
        headers: json,
        body: ignored,
      },
    ],
  );
});

describe('the request', () => {
  const paths = [
    'GET /',
    'GET /nope',
    'POST /media_contents',
    'GET /media_contents',
    'GET /media_contents/{media}/nope',
  ];
  const item = /^(?=.*\bGET\b)(?=.*\bPATCH\b)(?=.*\bDELETE\b)(?!.*\b(PUT|POST)\b)/;
  const list = /^(?=.*\bGET\b)(?=.*\bPOST\b)(?!.*\b(PUT|DELETE)\b)/;
  const wrong: readonly [string, RegExp][] = [
    ['PUT /media_contents/{media}', item],
    ['POST /media_library/folders/{folder}', item],
    ['PUT /workspaces/{workspace}/media_library/folders', list],
    ['POST /health', /\bGET\b/],
  ];
  const heads: readonly [string, string | null, number[]][] = [
    ['HEAD /nope', 'all', [404]],
    ['HEAD /media_contents/{media}', 'all', [200, 405]],
    ['HEAD /media_contents/{media}', null, [401, 405]],
  ];
  table(
    () => world,
    [
      ...[...paths, 'GET /v1', 'GET /v1/', 'DELETE /workspaces/{workspace}/nope'].map((send): Row => {
        return { name: `${send} returns 404 for its unknown path`, send, status: 404, message: 'Not found.' };
      }),
      ...wrong.map(([send, allow]): Row => {
        return { name: `${send} returns 405 with the allowed methods`, send, status: 405, replyHeaders: { allow } };
      }),
      ...heads.map(([send, token, status]): Row => {
        const after: Row['after'] = (reply) => expect(reply.text).toBe('');
        return { name: `${send} with${token ? '' : 'out'} a token has no body`, send, token, status, after };
      }),
    ],
  );
});

describe('all invalid fields, including those checked in the database, are reported together', () => {
  const list = 'GET /workspaces/{workspace}/media_contents';
  table(
    () => world,
    [
      row('in JSON', create, { name: 'n'.repeat(101), parent_id: '{unknown}' }, 422, { name: true, parent_id: true }),
      row('in a query', `${list}?page=0&per_page=x&status=gone&folder_id={unknown}`, undefined, 422, {
        page: true,
        per_page: true,
        status: true,
        folder_id: true,
      }),
    ],
  );
});

describe('a malformed id', () => {
  const places = ['/media_contents/ID', '/media_library/folders/ID', '/posts/ID', '/workspaces/ID/media_contents'];
  const ids = ['not-a-uuid', "'%20OR%20''='", '%00', '{unknown}0'];
  table(
    () => world,
    places.flatMap((place) =>
      ids.map((id): Row => {
        const send = `GET ${place.replace('ID', id)}`;
        return {
          name: `returns the same 404 as an unknown id for ${send.slice(0, 80)}`,
          send,
          status: 404,
          message: 'Not found.',
        };
      }),
    ),
  );
});

describe('the request id', () => {
  test('is returned with an unexpected error, and logged', async () => {
    const broken = await World.openAlone(onDisk);
    const away = `${broken.dataDir}-away`;
    renameSync(broken.dataDir, away);
    writeFileSync(broken.dataDir, 'no folder');
    try {
      const reply = await broken.upload([file('beach.png', png())]);
      expect(reply.status).toBe(500);
      expectErrorShape(reply);
      expect(reply.json).toEqual({ message: 'Server error.' });
      const id = reply.headers.get('x-request-id') ?? '';
      expect(id.length).toBeGreaterThan(7);
      await until('the request is logged', () => broken.server.log().includes(id));
      expect(reply.text).not.toContain(broken.dataDir);
    } finally {
      await broken.server.end('SIGKILL');
      rmSync(away, { recursive: true });
      rmSync(broken.dataDir, { recursive: true, force: true });
    }
  });

  test('has fewer than 200 characters, whatever the client sends', async () => {
    const ask = (id: string) => world.call('GET /nope', { headers: { 'x-request-id': id } });
    const [one, two] = await Promise.all([ask('{"level":60}\tforged'), ask('x'.repeat(5000))]);
    for (const reply of [one, two]) {
      expect(reply.status).toBe(404);
      expect((reply.headers.get('x-request-id') ?? '').length).toBeLessThan(200);
    }
  });
});

describe('a response body', () => {
  test('is valid UTF-8 even if the request has a lone surrogate', async () => {
    const reply = await world.call('PATCH /media_contents/{media}', { headers: json, body: '{"label":"a\\ud800b"}' });
    expect([200, 400, 422]).toContain(reply.status);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(reply.bytes)).not.toThrow();
    expect((await world.call('GET /media_contents/{media}')).status).toBe(200);
  });
});

describe('the ETag', () => {
  /** Row: the resource, its path, the method that changes it, a valid change, and an invalid change. */
  test.each<[string, string, string, object, object]>([
    ['an item', '/media_contents/{media}', 'PATCH', { tags: ['sea'] }, { label: 5 }],
    ['a folder', '/media_library/folders/{folder}', 'PATCH', { name: 'Journeys' }, { name: '' }],
    ['a post', '/posts/{post}', 'PUT', { likes: 70 }, { likes: -1 }],
    ['a profile', '/profiles/{idle}', 'PATCH', { name: 'Ours' }, { name: '' }],
  ])('of %s is respected in If-None-Match and If-Match', async (_, path, method, valid, wrong) => {
    const get = (etag: string | null, head = 'GET') =>
      world.call(`${head} ${path}`, { headers: etag === null ? {} : { 'if-none-match': etag } });
    const send = (etag: string, body: object, token = 'all') => {
      const to = method === 'PUT' ? `${path}/metrics` : path;
      return world.call(`${method} ${to}`, { headers: { 'if-match': etag }, json: body, token });
    };
    const remove = (etag: string) => world.call(`DELETE ${path}`, { headers: { 'if-match': etag } });
    const shown = await get(null);
    expect([shown.status, shown.headers.get('etag')]).toEqual([200, '"1"']);
    expect(shown.headers.get('cache-control')).toBe('private, no-cache');
    for (const held of ['"1"', 'W/"1"', '"9", W/"1"', '*']) {
      for (const head of ['GET', 'HEAD']) {
        const { status, headers, text } = await get(held, head);
        expect({ held, status, text, etag: headers.get('etag') }).toEqual({ held, status: 304, text: '', etag: '"1"' });
        expect(headers.get('cache-control')).toBe('private, no-cache');
      }
    }
    expect((await get('"2", "1-d00000000"')).json).toEqual(shown.json);

    for (const etag of ['"2"', 'W/"3", "4"', '1', '""', '"01"', '"x1"', 'null']) {
      const reply = await send(etag, wrong);
      expect({ etag, status: reply.status, now: reply.headers.get('etag') }).toEqual({ etag, status: 412, now: '"1"' });
      expect(reply.json).toEqual({ message: 'Someone else changed this.' });
    }
    expect((await send('"2"', wrong, 'foreign')).status).toBe(404);
    expect((await send('"2"', wrong, 'reader')).status).toBe(403);
    expect((await send('"1"', wrong)).status).toBe(422);
    expect((await send('"2"', valid)).status).toBe(412);
    expect((await get('"1"')).status).toBe(304);
    const changed = await send('"7", W/"1-d0123abcd"', valid);
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);

    const another = method === 'PUT' ? { likes: 71 } : valid;
    const both = await Promise.all([send('"2"', another), send('"2"', another)]);
    expect(both.map((reply) => reply.status).sort()).toEqual([200, 412]);
    expect((await send('*', valid)).headers.get('etag')).toBe('"4"');
    expect((await remove('"3"')).status).toBe(412);
    expect((await get(null)).headers.get('etag')).toBe('"4"');
    const removed = await remove('"4"');
    expect([removed.status, removed.headers.get('etag')]).toEqual([204, null]);
    expect((await send('"4"', valid)).status).toBe(404);
  });

  test('of a new resource is "1", even in a repeated response', async () => {
    const headers = { 'idempotency-key': 'conditional' };
    for (const _ of ['first', 'repeat']) {
      const made = await world.call(create, { headers, json: { name: 'New' } });
      expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    }
  });

  test('of an item depends on its details if these are included, and is absent if its usage is included', async () => {
    const { id } = await world.storeOne(file('lake.png', png()));
    const get = (query: string, etag = '') =>
      world.call(`GET /media_contents/${id}${query}`, { headers: { 'if-none-match': etag } });
    const plain = (await get('')).headers.get('etag') ?? '';
    const before = await get('?include=details');
    const tag = before.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"\d+-d[0-9a-f]{8}"$/);
    expect((await get('?include=details', plain)).status).toBe(200);
    expect((await get('', tag)).status).toBe(200);
    const used = await get('?include=details,usage', tag);
    expect([used.status, used.headers.get('etag')]).toEqual([200, null]);
    expect(used.headers.get('cache-control')).toBe('private, no-cache');
    // The first preview also sets the item's placeholder, which changes the ETag.
    if (at(before.json, 'data', 'details', 'placeholder') === null) {
      await fetch(stringAt(before.json, 'data', 'details', 'previews', 0, 'link'));
      await until('the placeholder', async () => (await get('?include=details', tag)).status === 200);
    }
    expect((await get('', plain)).status).toBe(304);
    const match = { 'if-match': tag };
    expect((await world.call(`PATCH /media_contents/${id}`, { headers: match, json: {} })).status).toBe(200);
  });
});
