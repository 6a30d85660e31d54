import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { operations } from '../support/operations.ts';
import { expectErrorShape } from '../support/reply.ts';
import { uuid } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  world.ids.media = (await world.storeOne(file('beach.jpg', jpeg()))).id;
  const foreign = await world.call('POST /workspaces/{foreign}/media_library/folders', {
    token: 'foreign',
    json: { name: 'Secret plans' },
  });
  world.ids.foreignFolder = String(Object(Object(foreign.json).data).id);
  const stored = await world.call('POST /workspaces/{foreign}/media_contents', {
    token: 'foreign',
    ...multipartJpeg(),
  });
  world.ids.foreignMedia = String(Object(Object(Object(stored.json).data)[0]).id);
  expect(world.ids.foreignFolder).toMatch(uuid);
  expect(world.ids.foreignMedia).toMatch(uuid);
});

afterAll(() => world.close());

function multipartJpeg() {
  const form = ['--x', 'Content-Disposition: form-data; name="files[]"; filename="a.jpg"', '', ''].join('\r\n');
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.concat([Buffer.from(form), jpeg(), Buffer.from('\r\n--x--\r\n')]),
  };
}

const list = 'GET /workspaces/{workspace}/media_library/folders';

describe('"A missing scope: 403 {message} naming the scope"', () => {
  const all = ['media:read', 'media:write', 'folders:read', 'folders:write', 'analytics:read', 'analytics:write'];

  beforeAll(async () => {
    for (const lacking of all.slice(0, 4)) {
      const others = all.filter((scope) => scope !== lacking).flatMap((scope) => ['--scope', scope]);
      await world.token(`without ${lacking}`, '{workspace}', others);
      await world.token(`only ${lacking}`, '{workspace}', ['--scope', lacking]);
    }
  });

  table(
    () => world,
    operations.map(
      ([send, scope]): Row => ({
        name: `${send} needs ${scope}`,
        send,
        token: `without ${scope}`,
        ...(send.startsWith('POST') || send.startsWith('PATCH') ? { json: {} } : {}),
        status: 403,
        message: new RegExp(scope),
      }),
    ),
  );

  const suffices: readonly Row[] = [
    { name: 'only folders:read lists folders', send: list, token: 'only folders:read', status: 200 },
    { name: 'only media:read shows media', send: 'GET /media_contents/{media}', token: 'only media:read', status: 200 },
    {
      name: 'only folders:write creates a folder',
      send: 'POST /workspaces/{workspace}/media_library/folders',
      token: 'only folders:write',
      json: { name: 'By scope' },
      status: 201,
    },
    {
      name: 'only media:write changes media',
      send: 'PATCH /media_contents/{media}',
      token: 'only media:write',
      json: { label: 'By scope' },
      status: 200,
    },
  ];
  table(() => world, suffices);
});

describe('"malformed, unknown, deleted, or in a workspace which the token may not enter: the same 404"', () => {
  const identifiers: readonly [string, string][] = [
    ['unknown', '{unknown}'],
    ['malformed', 'not-a-uuid'],
    ['a number', '1'],
    ['SQL', "'%20OR%20''='"],
    ['percent-encoded NUL', '%00'],
    ['two hundred characters', 'a'.repeat(200)],
    ['a UUID and more', '{unknown}0'],
  ];
  const places: readonly [method: string, prefix: string, suffix: string, foreign: string, json?: object][] = [
    ['GET', '/media_contents/', '', '{foreignMedia}'],
    ['PATCH', '/media_contents/', '', '{foreignMedia}', { label: 'x' }],
    ['DELETE', '/media_contents/', '', '{foreignMedia}'],
    ['GET', '/media_library/folders/', '', '{foreignFolder}'],
    ['PATCH', '/media_library/folders/', '', '{foreignFolder}', { name: 'x' }],
    ['DELETE', '/media_library/folders/', '', '{foreignFolder}'],
    ['GET', '/workspaces/', '/media_contents', '{foreign}'],
    ['GET', '/workspaces/', '/media_library/folders', '{foreign}'],
    ['POST', '/workspaces/', '/media_library/folders', '{foreign}', { name: 'x' }],
  ];
  for (const [method, prefix, suffix, foreign, json] of places) {
    const rows = [...identifiers, ['in another workspace', foreign] as const].map(
      ([name, id]): Row => ({
        name: `${method} ${prefix}{id}${suffix}: ${name}`,
        send: `${method} ${prefix}${id}${suffix}`,
        ...(json === undefined ? {} : { json }),
        status: 404,
        after: (reply) => expect(reply.text).toBe('{"message":"Not found."}'),
      }),
    );
    table(() => world, rows);
  }

  test('uploading into another workspace, and nothing is stored there', async () => {
    const before = await world.files();
    const reply = await world.call('POST /workspaces/{foreign}/media_contents', multipartJpeg());
    expect(reply.status).toBe(404);
    expect(reply.text).toBe('{"message":"Not found."}');
    expect(await world.files()).toEqual(before);
  });

  test('what stands in the other workspace has come to no harm', async () => {
    const folder = await world.call('GET /media_library/folders/{foreignFolder}', { token: 'foreign' });
    expect(folder.json).toMatchObject({ data: { name: 'Secret plans' } });
    const media = await world.call('GET /media_contents/{foreignMedia}', { token: 'foreign' });
    expect(media.json).toMatchObject({ data: { label: null } });
  });

  test('the header lines tell no more than the body', async () => {
    const names = async (path: string) => [...(await world.call(`GET ${path}`)).headers.keys()].sort();
    expect(await names('/media_contents/{foreignMedia}')).toEqual(await names('/media_contents/{unknown}'));
  });
});

describe('"One that stands in a body or query: 422 on that field"; "No response may let a caller tell exists elsewhere from doesn\'t exist"', () => {
  const places: readonly [send: string, field: string, json: (id: string) => object | undefined][] = [
    ['POST /workspaces/{workspace}/media_library/folders', 'parent_id', (id) => ({ name: 'New', parent_id: id })],
    ['PATCH /media_library/folders/{folder}', 'parent_id', (id) => ({ parent_id: id })],
    ['PATCH /media_contents/{media}', 'folder_id', (id) => ({ folder_id: id })],
    ['GET /workspaces/{workspace}/media_contents?folder_id=ID', 'folder_id', () => undefined],
    ['GET /workspaces/{workspace}/media_library/folders?parent_id=ID', 'parent_id', () => undefined],
  ];
  for (const [send, field, json] of places) {
    test(`${send}: ${field} of another workspace answers as an unknown one does`, async () => {
      const ask = async (id: string) => {
        const body = json(id);
        return world.call(send.replace('=ID', `=${id}`), body === undefined ? {} : { json: body });
      };
      const elsewhere = await ask('{foreignFolder}');
      const unknown = await ask('{unknown}');
      expect(elsewhere.status).toBe(422);
      expectErrorShape(elsewhere);
      expect(Object.keys(Object(Object(elsewhere.json).errors))).toEqual([field]);
      expect(elsewhere.text).toBe(unknown.text);
    });
  }
});

describe('A token enters each workspace that it was issued for', () => {
  test('--workspace given twice', async () => {
    await world.token('both', '{workspace}', ['--workspace', String(world.ids.foreign)]);
    for (const send of [list, 'GET /workspaces/{foreign}/media_library/folders']) {
      expect((await world.call(send, { token: 'both' })).status).toBe(200);
    }
  });

  test('an item of one workspace cannot be put into a folder of the other, even by a token that enters both', async () => {
    const reply = await world.call('PATCH /media_contents/{media}', {
      token: 'both',
      json: { folder_id: '{foreignFolder}' },
    });
    expect(reply.status).toBe(422);
    expect(Object.keys(Object(Object(reply.json).errors))).toEqual(['folder_id']);
  });
});
