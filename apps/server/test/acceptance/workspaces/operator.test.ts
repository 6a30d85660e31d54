// These tests cover the requests of operators over HTTP: for workspaces, for tokens, and for the removal of both.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { createOperatorClient } from '@postshelf/client';
import { thrownBy } from '@postshelf/testing/outcomes';
import { operations } from '../support/contract.ts';
import { arrayAt, at, expectInvalid, type Reply, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { type CallOptions, World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.openAlone({ LOG_FORMAT: 'json' });
  await world.operator();
});

afterAll(() => world.close());

const call = (send: string, json?: object, options: CallOptions = {}): Promise<Reply> =>
  world.call(send, { token: 'operator', ...(json && { json }), ...options });

async function makeWorkspace(details: object = {}): Promise<string> {
  const reply = await call('POST /workspaces', { name: 'Harbour hotel', ...details });
  expect(reply.status).toBe(201);
  return stringAt(reply.json, 'data', 'id');
}

const rights = (workspaces: readonly string[], details: object = {}) => ({
  name: `token ${randomUUID()}`,
  workspaces,
  scopes: ['media:read', 'media:write'],
  ...details,
});

/** Issues a token, and adds it to `world.tokens` under its id. @returns the id */
async function issue(workspaces: readonly string[], details: object = {}): Promise<string> {
  return keep(await call('POST /tokens', rights(workspaces, details)));
}

function keep(reply: Reply): string {
  expect(reply.status).toBe(201);
  const id = stringAt(reply.json, 'data', 'id');
  world.tokens[id] = stringAt(reply.json, 'data', 'token');
  return id;
}

const statusOf = async (token: string, path = '/me'): Promise<number> =>
  (await world.call(`GET ${path}`, { token })).status;

describe('workspaces', () => {
  test('are created, shown, updated and listed with the settings of operators', async () => {
    const details = { name: ' Harbour hotel ', timezone: 'europe/berlin', system_folders: ['Logos', ' Menus '] };
    const settings = { max_bytes: 5_000_000, max_items: null, links: 'signed' };
    const made = await call('POST /workspaces', { ...details, ...settings, strip_location: true });
    const data = {
      id: expect.any(String),
      name: 'Harbour hotel',
      timezone: 'Europe/Berlin',
      system_folders: ['Logos', 'Menus'],
      strip_location: true,
      ...settings,
      created_at: expect.any(String),
    };
    expect(made.json).toEqual({ data, message: 'The workspace was created.' });
    const id = stringAt(made.json, 'data', 'id');
    const changed = { ...data, timezone: 'US/Pacific', system_folders: ['Menus', 'Press'], strip_location: null };
    const change = { timezone: 'us/pacific', system_folders: ['menus', 'Press'], strip_location: null };
    expect(at((await call(`PATCH /workspaces/${id}`, change)).json, 'data')).toEqual(changed);
    expect((await call(`GET /workspaces/${id}`)).json).toEqual({ data: changed });
    expect(arrayAt((await call('GET /workspaces?per_page=1')).json, 'data')).toEqual([changed]);
    expect(await world.run(['workspace', 'list'])).toContain(id);
  });

  test('are refused with an error message for each invalid field', async () => {
    const wrong = { name: '', timezone: 'Mars', system_folders: ['Logos', 'LOGOS'], strip_location: 'yes' };
    expectInvalid(await call('POST /workspaces', wrong), {
      name: /required/,
      timezone: 'The timezone field must be the name of a time zone.',
      'system_folders.1': /duplicate/,
      strip_location: /must be/,
    });
    for (const id of ['x', String(world.ids.unknown)]) {
      expect((await call(`GET /workspaces/${id}`)).status).toBe(404);
      expect((await call(`DELETE /workspaces/${id}`)).status).toBe(404);
    }
  });
});

describe('tokens', () => {
  test('are issued for workspaces, and listed without their secret values', async () => {
    const workspaces = [await makeWorkspace(), await makeWorkspace()];
    const name = `picker ${randomUUID()}`;
    const id = await issue(workspaces, { name, expires_in: 60 });
    const listed = await call(`GET /tokens?workspace=${workspaces[1]}&name=${encodeURIComponent(name)}`);
    const [token] = arrayAt(listed.json, 'data');
    expect(token).toMatchObject({ id, name, workspaces, scopes: ['media:read', 'media:write'], revoked_at: null });
    expect(Date.parse(stringAt(token, 'expires_at')) - Date.parse(stringAt(token, 'created_at'))).toBe(60_000);
    expect(listed.text).not.toContain(String(world.tokens[id]));
    expect(await statusOf(id, `/workspaces/${workspaces[1]}/media_contents`)).toBe(200);
    expect(await statusOf(id, '/workspaces/{workspace}/media_contents')).toBe(404);
    expect((await call(`DELETE /tokens/${id}`)).status).toBe(204);
    expect(await statusOf(id)).toBe(401);
    expect((await call(`DELETE /tokens/${id}`)).status).toBe(204);
  });

  test('cannot get the operator scope, and operators’ tokens are not found', async () => {
    const workspace = await makeWorkspace();
    const wrong = rights([workspace, String(world.ids.unknown)], { scopes: ['operator'], expires_in: 0.5 });
    expectInvalid(await call('POST /tokens', wrong), {
      'scopes.0': /./,
      expires_in: /whole number from 1 to 31536000/,
    });
    expectInvalid(await call('POST /tokens', rights([workspace, String(world.ids.unknown)])), {
      'workspaces.1': /There is no workspace/,
    });
    expectInvalid(await call(`GET /tokens?workspace=${world.ids.unknown}`), { workspace: /invalid/ });
    const operators = stringAt(at((await call('GET /me')).json, 'data', 'token'), 'id');
    expect((await call('GET /tokens?per_page=100')).text).not.toContain(operators);
    for (const id of [operators, 'x', String(world.ids.unknown)]) {
      expect((await call(`DELETE /tokens/${id}`)).status).toBe(404);
      expect((await call(`POST /tokens/${id}/rotate`, {})).status).toBe(404);
    }
    const { origin } = new URL(world.server.url);
    const json = { token: world.tokens.operator };
    expect((await world.call('POST /sessions', { token: null, headers: { origin }, json })).status).toBe(401);
  });

  test('can be rotated once to a token with the same rights and lifetime, and end after the overlap', async () => {
    const workspaces = [await makeWorkspace()];
    const [old, soon] = [await issue(workspaces, { expires_in: 600 }), await issue(workspaces)];
    expectInvalid(await call(`POST /tokens/${old}/rotate`, { overlap: 86_401 }), { overlap: /from 0 to 86400/ });
    const rotated = await call(`POST /tokens/${old}/rotate`, { overlap: 2 });
    const fresh = keep(rotated);
    expect(at(rotated.json, 'data')).toMatchObject({ workspaces, scopes: ['media:read', 'media:write'] });
    const { created_at, expires_at } = Object(at(rotated.json, 'data'));
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(600_000);
    expect([await statusOf(old), await statusOf(fresh)]).toEqual([200, 200]);
    expectInvalid(await call(`POST /tokens/${old}/rotate`, {}), { token: /already rotated/ });
    const after = keep(await call(`POST /tokens/${soon}/rotate`, {}));
    expect([await statusOf(soon), await statusOf(after)]).toEqual([401, 200]);
    await until('the old token has ended', async () => (await statusOf(old)) === 401);
    expect(await statusOf(fresh)).toBe(200);
  });

  test('can be revoked by name or by workspace, and rotated, with commands', async () => {
    const workspace = await makeWorkspace();
    const [first, second, third] = [
      await issue([workspace], { name: 'x' }),
      await issue([workspace], { name: 'x' }),
      await issue([workspace]),
    ];
    expect(await world.command(['token', 'revoke', '--name', 'x'])).toEqual({ revoked: 2 });
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
    const rotated = await world.command(['token', 'rotate', third, '--overlap', '1h']);
    world.tokens.rotated = stringAt(rotated, 'token');
    expect([await statusOf(third), await statusOf('rotated')]).toEqual([200, 200]);
    expect(await world.run(['token', 'revoke', '--workspace', workspace])).toBe('Revoked 2 tokens.\n');
    expect([await statusOf(third), await statusOf('rotated')]).toEqual([401, 401]);
  });
});

describe('a repeated request of an operator with the same key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

  /** Every POST operation of operators, with a function that returns a request's path and body. */
  const POSTS: Readonly<Record<string, () => Promise<readonly [string, object]>>> = {
    'POST /workspaces': async () => ['POST /workspaces', { name: 'Inn', system_folders: ['Logos'] }],
    'POST /tokens': async () => ['POST /tokens', rights([await makeWorkspace()])],
    'POST /tokens/{id}/rotate': async () => [`POST /tokens/${await issue([await makeWorkspace()])}/rotate`, {}],
    'POST /jobs/{id}/retry': async () => [`POST /jobs/${await checkJob()}/retry`, {}],
  };

  /**
   * Returns the id of the job that checks all objects, once its first check has ended and it waits for the next one.
   */
  const checkJob = async (): Promise<string> => {
    const jobs = async () => arrayAt((await call('GET /jobs?kind=check&state=waiting')).json, 'data');
    await until('the check of all objects waits', async () => (await jobs()).length > 0);
    return stringAt(await jobs(), 0, 'id');
  };

  test('is tested for every POST', () => {
    const posts = operations.filter(({ method, scope }) => method === 'post' && scope === 'operator');
    expect(Object.keys(POSTS).sort()).toEqual(posts.map(({ place }) => place).sort());
  });

  test.each(Object.entries(POSTS))(
    'is executed once for %s, and its second answer contains a newly signed token',
    async (_, prepare) => {
      const [send, json] = await prepare();
      for (const face of ['REST', 'tRPC']) {
        if (face === 'tRPC' && !send.endsWith('s')) continue;
        const options = keyed();
        const target = face === 'REST' ? send : `POST /trpc/${send.replace('POST /', '')}.create`;
        const [first, again] = [await call(target, json, options), await call(target, json, options)];
        const dataOf = (reply: Reply) => Object(at(reply.json, ...(face === 'REST' ? [] : ['result', 'data']), 'data'));
        const { token, ...data } = dataOf(first);
        const { token: second, ...rest } = dataOf(again);
        expect([again.headers.get('idempotency-replayed'), rest]).toEqual(['true', data]);
        if (send === 'POST /workspaces') continue;
        expect([await statusOf(token), await statusOf(second)]).toEqual([200, 200]);
      }
    },
  );

  test('neither stores nor logs the text of a token', async () => {
    const id = keep(await call('POST /tokens', rights([await makeWorkspace()]), keyed()));
    const signature = String(world.tokens[id]).split('.')[2] ?? '';
    expect((await world.database.text()) ?? '').not.toContain(signature);
    expect(world.server.log()).not.toContain(signature);
  });
});

test('createOperatorClient returns a typed client with the operations of operators', async () => {
  const { trpc, pages } = createOperatorClient({ url: world.server.url, token: String(world.tokens.operator) });
  const { data } = await trpc.workspaces.create.mutate({ name: 'By client' });
  const issued = await trpc.tokens.create.mutate({ name: 'x', workspaces: [data.id], scopes: ['media:read'] });
  const rotated = await trpc.tokens.rotate.mutate({ id: issued.data.id, overlap: 60 });
  expect(rotated.data.scopes).toEqual(['media:read']);
  const ids: string[] = [];
  for await (const page of pages(trpc.tokens.list, { workspace: data.id, per_page: 1 })) {
    ids.push(...page.data.map(({ id }) => id));
  }
  expect(ids).toEqual([rotated.data.id, issued.data.id]);
  expect(await trpc.tokens.delete.mutate({ id: issued.data.id })).toBeNull();
  const ordinary = createOperatorClient({ url: world.server.url, token: String(world.tokens.all), repeats: 0 });
  expect(await thrownBy(ordinary.trpc.workspaces.list.query({}))).toMatchObject({ code: 'refused', status: 403 });
});
