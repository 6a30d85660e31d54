import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { expectErrorShape, stringAt } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { type Row, row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  world.ids.media = (await world.storeOne(file('beach.png', png()))).id;
});

afterAll(() => world.close());

const create = 'POST /workspaces/{workspace}/media_library/folders';
const json = { 'content-type': 'application/json' };

describe('A body that is no JSON is 400', () => {
  const bodies: readonly [string, string | Uint8Array][] = [
    ['cut off', '{"name":"x"'],
    ['single quotes', "{'name':'x'}"],
    ['a trailing comma', '{"name":"x",}'],
    ['a raw line break inside a string', '{"name":"a\nb"}'],
    ['bytes that are no UTF-8', Buffer.from('7b226e616d65223a22ff80227d', 'hex')],
  ];
  table(
    () => world,
    bodies.map(([name, body]): Row => ({ name, send: create, headers: json, body, status: 400 })),
  );
  table(
    () => world,
    [
      {
        name: 'on PATCH of a folder',
        send: 'PATCH /media_library/folders/{folder}',
        headers: json,
        body: '{',
        status: 400,
      },
      { name: 'on PATCH of media', send: 'PATCH /media_contents/{media}', headers: json, body: '{', status: 400 },
    ],
  );
});

describe("JSON that is valid but no object with the fields is the client's error too", () => {
  const bodies: readonly [string, string][] = [
    ['null', 'null'],
    ['an array', '[]'],
    ['a number', '1e999'],
    ['nothing at all', ''],
    ['a hundred thousand nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['__proto__ instead of a name', '{"__proto__":{"name":"x"}}'],
    ['constructor instead of a name', '{"constructor":{"prototype":{"name":"x"}}}'],
  ];
  table(
    () => world,
    bodies.map(([name, body]): Row => ({ name, send: create, headers: json, body, status: [400, 413, 422] })),
  );

  test('a prototype that was tried to be polluted names no folder of the next request', async () => {
    await world.call(create, { headers: json, body: '{"__proto__":{"name":"Polluted","parent_id":null}}' });
    const reply = await world.call(create, { json: {} });
    expect(reply.status).toBe(422);
  });
});

describe('Unknown JSON fields are ignored', () => {
  table(
    () => world,
    [
      {
        name: 'beside the known ones, whatever they hold',
        send: create,
        headers: json,
        body: '{"name":"Ignoring","id":"1","is_system":true,"workspace":"x","__proto__":1,"deep":{"a":[1,{}]}}',
        status: 201,
        expect: { data: { id: expect.any(String), name: 'Ignoring', parent_id: null }, message: expect.any(String) },
      },
    ],
  );
});

describe('A Content-Type that the operation does not take is 415', () => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'];
  table(
    () => world,
    types.flatMap((type): Row[] => {
      const body = '{"name":"Typed"}';
      const headers = { 'content-type': type };
      return [
        { name: `${type} on creating a folder`, send: create, headers, body, status: 415 },
        { name: `${type} on PATCH`, send: 'PATCH /media_contents/{media}', headers, body, status: 415 },
        {
          name: `${type} on uploading`,
          send: 'POST /workspaces/{workspace}/media_contents',
          headers,
          body,
          status: 415,
        },
      ];
    }),
  );
  table(
    () => world,
    [
      {
        name: 'multipart where only JSON is taken',
        send: create,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x--\r\n',
        status: 415,
      },
    ],
  );

  const taken = ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'];
  table(
    () => world,
    taken.map(
      (type, index): Row => ({
        name: `${type} is JSON`,
        send: create,
        headers: { 'content-type': type },
        body: JSON.stringify({ name: `Typed ${index}` }),
        status: 201,
      }),
    ),
  );
});

describe('An unknown route is 404', () => {
  const paths = ['GET /', 'GET /nope', 'POST /workspaces', 'GET /media_contents', 'GET /media_contents/{media}/nope'];
  table(
    () => world,
    [...paths, 'GET /v1', 'GET /v1/', 'DELETE /workspaces/{workspace}/nope'].map(
      (send): Row => ({ name: send, send, status: 404, message: 'Not found.' }),
    ),
  );
});

describe('A wrong method is 405 with Allow', () => {
  const rows: readonly [string, RegExp][] = [
    ['PUT /media_contents/{media}', /^(?=.*\bGET\b)(?=.*\bPATCH\b)(?=.*\bDELETE\b)(?!.*\b(PUT|POST)\b)/],
    ['POST /media_library/folders/{folder}', /^(?=.*\bGET\b)(?=.*\bPATCH\b)(?=.*\bDELETE\b)(?!.*\b(PUT|POST)\b)/],
    ['DELETE /workspaces/{workspace}/media_contents', /^(?=.*\bGET\b)(?=.*\bPOST\b)(?!.*\b(PUT|DELETE)\b)/],
    ['PUT /workspaces/{workspace}/media_library/folders', /^(?=.*\bGET\b)(?=.*\bPOST\b)(?!.*\b(PUT|DELETE)\b)/],
    ['POST /health', /\bGET\b/],
  ];
  table(
    () => world,
    rows.map(([send, allow]): Row => ({ name: send, send, status: 405, replyHeaders: { allow } })),
  );
});

describe('HEAD has no body', () => {
  table(
    () => world,
    [
      {
        name: 'HEAD of an unknown route',
        send: 'HEAD /nope',
        status: 404,
        after: (reply) => expect(reply.text).toBe(''),
      },
      {
        name: 'HEAD of an item',
        send: 'HEAD /media_contents/{media}',
        status: [200, 405],
        after: (reply) => expect(reply.text).toBe(''),
      },
      {
        name: 'HEAD without a token',
        send: 'HEAD /media_contents/{media}',
        token: null,
        status: [401, 405],
        after: (reply) => expect(reply.text).toBe(''),
      },
    ],
  );
});

describe('A JSON body has a limit', () => {
  table(
    () => world,
    [
      {
        name: 'a name of eight megabytes: 413 {message}',
        send: create,
        headers: json,
        body: JSON.stringify({ name: 'n'.repeat(8 * 1024 * 1024) }),
        status: 413,
      },
      {
        name: 'eight megabytes of spaces around an object: 413 {message}',
        send: 'PATCH /media_contents/{media}',
        headers: json,
        body: `{"label":"x"${' '.repeat(8 * 1024 * 1024)}}`,
        status: 413,
      },
    ],
  );
});

describe('All failing fields are reported at once, also those that only the library knows', () => {
  const label = 'The label field must not be greater than 250 characters.';
  const list = 'GET /workspaces/{workspace}/media_contents';
  table(
    () => world,
    [
      row('in JSON', create, { name: 'n'.repeat(101), parent_id: '{unknown}' }, 422, { name: true, parent_id: true }),
      row('on PATCH', 'PATCH /media_contents/{media}', { label: 'l'.repeat(251), folder_id: '{unknown}' }, 422, {
        label,
        folder_id: true,
      }),
      row('in a query', `${list}?page=0&per_page=x&status=gone&folder_id={unknown}`, undefined, 422, {
        page: true,
        per_page: true,
        status: true,
        folder_id: true,
      }),
    ],
  );
});

describe('An id that is none is the same 404 as an unknown one', () => {
  const places = ['/media_contents/ID', '/media_library/folders/ID', '/posts/ID', '/workspaces/ID/media_contents'];
  const ids = ['{unknown}', 'not-a-uuid', "'%20OR%20''='", '%00', 'a'.repeat(200), '{unknown}0'];
  table(
    () => world,
    places.flatMap((place) =>
      ids.map((id): Row => {
        const send = `GET ${place.replace('ID', id)}`;
        return { name: send.slice(0, 80), send, status: 404, message: 'Not found.' };
      }),
    ),
  );
});

describe('An unexpected fault is 500 with the request id, and a line in the log', () => {
  test('the data folder has become a plain file under the server', async () => {
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
      await until('the log tells of the request', () => broken.server.log().includes(id));
      expect(reply.text).not.toContain(broken.dataDir);
    } finally {
      await broken.server.end('SIGKILL');
      rmSync(away, { recursive: true });
      rmSync(broken.dataDir, { recursive: true, force: true });
    }
  });

  test('two requests have two ids, and a caller cannot choose one that breaks the log', async () => {
    const ask = (id: string) => world.call('GET /nope', { headers: { 'x-request-id': id } });
    const [one, two] = await Promise.all([ask('{"level":60}\tforged'), ask('x'.repeat(5000))]);
    for (const reply of [one, two]) {
      expect(reply.status).toBe(404);
      expect((reply.headers.get('x-request-id') ?? '').length).toBeLessThan(200);
    }
  });
});

describe('Bodies are UTF-8', () => {
  test('what was sent as UTF-8 comes back as UTF-8 with its content type', async () => {
    const reply = await world.call(create, { json: { name: 'Zürich 東京 👩‍👩‍👧' } });
    expect(reply.status).toBe(201);
    expect(stringAt(reply.json, 'data', 'name')).toBe('Zürich 東京 👩‍👩‍👧');
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  });

  test('a lone surrogate does not make an answer that is no UTF-8', async () => {
    const reply = await world.call('PATCH /media_contents/{media}', { headers: json, body: '{"label":"a\\ud800b"}' });
    expect([200, 400, 422]).toContain(reply.status);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(reply.bytes)).not.toThrow();
    expect((await world.call('GET /media_contents/{media}')).status).toBe(200);
  });
});
