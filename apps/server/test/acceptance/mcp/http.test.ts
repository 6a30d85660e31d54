// These tests use the Model Context Protocol at /mcp, through the SDK's own client and with requests that it never
// sends.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { lineWith } from '../operate/support/log.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { jpeg, png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { Assistant, bearer, LIST_TOOLS, post, TOOLS } from './support/assistant.ts';

let world: World;
let assistant: Assistant;
let origin: Origin;

beforeAll(async () => {
  const settings = { ...loopback, CORS_ORIGINS: 'https://studio.example' };
  [world, origin] = await Promise.all([World.open(settings), Origin.open()]);
  assistant = await Assistant.byHttp(world);
  world.ids.profile = await makeProfile(world);
  world.ids.photo = (await world.storeOne(file('beach.jpg', jpeg()))).id;
});

afterAll(async () => {
  await assistant.close();
  origin.close();
  await world.close();
});

const workspace = '{workspace}';

describe('tools', () => {
  test('are exactly the operations that are meant for assistants', async () => {
    expect((await assistant.tools()).map(({ name }) => name).sort()).toEqual([...TOOLS]);
  });

  test('describe their purpose, input and output, and whether they change anything', async () => {
    const tools = new Map((await assistant.tools()).map((tool) => [tool.name, tool]));
    for (const tool of tools.values()) {
      expect(tool.description).toMatch(/^[A-Z].{20,}/);
      expect(tool.inputSchema.type).toBe('object');
    }
    const hints = (name: string) => tools.get(name)?.annotations;
    expect(hints('media_list')).toEqual({ readOnlyHint: true, destructiveHint: false });
    expect(hints('readiness_set')).toEqual({ readOnlyHint: true, destructiveHint: false });
    expect(hints('posts_create')).toEqual({ readOnlyHint: false, destructiveHint: false });
    expect(hints('media_update')).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(hints('posts_delete')).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(tools.get('posts_create')?.inputSchema).toMatchObject({
      properties: { workspace: { type: 'string' }, profile: { type: 'string' }, published_at: { type: 'string' } },
      required: ['workspace', 'profile', 'published_at'],
    });
    expect(tools.get('media_get')?.outputSchema).toMatchObject({
      properties: { data: { type: 'object' }, version: { type: 'integer' } },
      required: ['data', 'version'],
    });
    expect(tools.get('media_delete')?.outputSchema).toBeUndefined();
  });

  test('are provided by a server that states its name and instructions', () => {
    expect(assistant.client.getServerVersion()).toMatchObject({ name: 'postshelf', title: 'Postshelf' });
    expect(assistant.client.getInstructions()).toContain('me_get');
  });
});

describe('a tool call', () => {
  test('reads the workspaces, an item, a list and search results', async () => {
    const me = await assistant.call('me_get');
    expect(at(me, 'data', 'workspaces')).toMatchObject([{ id: world.ids.workspace }]);
    expect(await assistant.call('media_get', { id: '{photo}' })).toMatchObject({
      data: { id: world.ids.photo, status: 'active' },
      version: 1,
    });
    const found = await assistant.call('media_list', { workspace, search: 'beach', per_page: 5 });
    expect(found).toMatchObject({ data: [{ id: world.ids.photo }], meta: { per_page: 5, total: 1 } });
    expect(await assistant.call('media_list', { workspace, search: 'mountain' })).toMatchObject({ data: [] });
  });

  test('creates a folder, updates it only in the given version, and deletes and restores an item', async () => {
    const folder = await assistant.call('folders_create', { workspace, name: 'Summer' });
    const id = stringAt(folder, 'data', 'id');
    const renamed = await assistant.call('folders_update', { folder: id, name: 'Autumn', if_match: 1 });
    expect(renamed).toMatchObject({ data: { name: 'Autumn' }, version: 2 });
    expect(await assistant.refused('folders_update', { folder: id, name: 'Winter', if_match: 1 })).toEqual({
      message: 'Someone else changed this.',
    });
    const { id: gone } = await world.storeOne(file('gone.png', png()));
    await assistant.call('media_update', { id: gone, folder_id: id, tags: ['summer'] });
    expect(await assistant.call('media_delete', { id: gone })).toBeUndefined();
    expect(await assistant.call('trash_list', { workspace })).toMatchObject({ data: [{ id: gone }] });
    await assistant.call('trash_restore', { id: gone });
    expect(await assistant.call('media_get', { id: gone })).toMatchObject({ data: { folder_id: id } });
  });

  test('imports by URL', async () => {
    const { url } = origin.page('picture.jpg', serve(jpeg()));
    const made = await assistant.call('media_import', { workspace, url, name: 'From the web' });
    expect(made).toMatchObject({ data: [{ name: 'From the web.jpg', status: 'active' }] });
  });

  test('presigns and confirms an upload', async () => {
    const bytes = png();
    const files = [{ name: 'chart.png', size: bytes.length, mime: 'image/png' }];
    const issued = at(await assistant.call('media_presign', { workspace, files }), 'data', 0);
    const headers = JSON.parse(stringAt(issued, 'upload_headers'));
    const sent = await fetch(stringAt(issued, 'upload_url'), { method: 'PUT', headers, body: Buffer.from(bytes) });
    expect(sent.ok).toBe(true);
    expect(await assistant.call('media_confirm', { id: stringAt(issued, 'id') })).toMatchObject({
      data: { name: 'chart.png', status: 'active' },
    });
  });

  test('checks media for networks, and suggests best times', async () => {
    expect(await assistant.call('readiness_item', { id: '{photo}', targets: 'x.post' })).toMatchObject({
      data: [{ target: 'x.post', verdict: expect.any(String) }],
    });
    const media_content_ids = ['{photo}'];
    expect(await assistant.call('readiness_set', { workspace, media_content_ids, targets: ['x.post'] })).toMatchObject({
      data: [{ target: 'x.post' }],
    });
    expect(await assistant.call('analytics_best_times', { profile: '{profile}' })).toMatchObject({
      meta: { timezone: 'UTC', posts: 0 },
    });
    expect(arrayAt(await assistant.call('analytics_slots', { profile: '{profile}', count: 3 }), 'data')).toHaveLength(
      3,
    );
  });

  test('plans, updates and deletes a post', async () => {
    const published_at = new Date(Date.now() + 86_400_000).toISOString();
    const fields = { workspace, profile: '{profile}', published_at, text: 'Sun is out!', include: 'readiness' };
    const made = await assistant.call('posts_create', { ...fields, media_content_ids: ['{photo}'] });
    const id = stringAt(made, 'data', 'id');
    expect(arrayAt(made, 'data', 'readiness').length).toBeGreaterThan(0);
    expect(await assistant.call('posts_update', { id, text: 'Rain.' })).toMatchObject({ data: { text: 'Rain.' } });
    expect(await assistant.call('posts_list', { workspace })).toMatchObject({ data: [{ id, text: 'Rain.' }] });
    expect(await assistant.call('profiles_list', { workspace })).toMatchObject({ data: [{ id: world.ids.profile }] });
    await assistant.call('posts_delete', { id });
    expect(await assistant.refused('posts_get', { id })).toEqual({ message: 'Not found.' });
  });
});

const lineOf = (of: World, { headers }: Response) => lineWith(of, { id: headers.get('x-request-id') });

describe('a refused tool call', () => {
  test('reports all invalid fields, with the same body as REST', async () => {
    const wrong = { profile: 'x', published_at: 'yesterday' };
    const { json } = await world.call('POST /workspaces/{workspace}/posts', { json: wrong });
    const refusal = await assistant.refused('posts_create', { workspace, ...wrong });
    expect(Object.keys(refusal.errors ?? {}).sort()).toEqual(['profile', 'published_at']);
    expect(refusal).toEqual(json as typeof refusal);
  });

  test('reports a missing workspace if it has no arguments', async () => {
    expect(await assistant.refused('media_import')).toMatchObject({ errors: { workspace: [expect.any(String)] } });
  });

  test('reports a missing scope', async () => {
    await world.token('reader', workspace, ['--scope', 'media:read']);
    const reader = await Assistant.byHttp(world, 'reader');
    expect(await reader.refused('folders_create', { workspace, name: 'No' })).toEqual({
      message: 'The scope folders:write is missing.',
    });
    expect((await reader.tools()).map(({ name }) => name).sort()).toEqual([...TOOLS]);
    await reader.close();
  });

  test('is logged with the tool and the reason', async () => {
    const refused = await post(
      world,
      call('folders_create', { workspace: world.ids.workspace, name: '' }),
      bearer(world),
    );
    expect(refused.status).toBe(200);
    const log = { route: '/mcp', status: 200, tool: 'folders_create', code: 'invalid', field: 'name' };
    expect(await lineOf(world, refused)).toMatchObject(log);
  });

  test('is a protocol error for an unknown tool, and for a tool called as a task', async () => {
    const { client } = assistant;
    expect(await outcomeOf(client.callTool({ name: 'tokens_create', arguments: {} }))).toThrow(
      'Unknown tool: tokens_create',
    );
    const task = { ...call('folders_create', { workspace: world.ids.workspace, name: 'As a task' }), id: 5 };
    const answer = await post(world, { ...task, params: { ...task.params, task: { ttl: 1 } } }, bearer(world));
    expect(await answer.json()).toMatchObject({ id: 5, error: { code: -32603 } });
    expect(await assistant.call('folders_list', { workspace })).not.toMatchObject({ data: [{ name: 'As a task' }] });
  });
});

const call = (name: string, input: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('a token of another workspace', () => {
  test('finds nothing with any tool', async () => {
    const stranger = await Assistant.byHttp(world, 'foreign');
    const id = '{photo}';
    const refusals = [
      await stranger.refused('media_get', { id }),
      await stranger.refused('media_list', { workspace }),
      await stranger.refused('media_import', { workspace, url: 'https://example.com/a.jpg' }),
      await stranger.refused('media_presign', { workspace, files: [] }),
      await stranger.refused('media_fit', { id, target: 'instagram.feed' }),
      await stranger.refused('media_delete', { id }),
      await stranger.refused('readiness_item', { id }),
      await stranger.refused('folders_list', { workspace }),
      await stranger.refused('posts_list', { workspace }),
    ];
    for (const refusal of refusals) expect(refusal).toEqual({ message: 'Not found.' });
    expect(await stranger.refused('analytics_slots', { profile: '{profile}' })).toMatchObject({
      errors: { profile: [expect.any(String)] },
    });
    const uri = `postshelf://media/${world.ids.photo}`;
    expect(await thrownBy(stranger.client.readResource({ uri }))).toMatchObject({ code: -32002 });
    expect((await stranger.client.listResources()).resources).toEqual([]);
    await stranger.close();
    expect((await world.call('GET /media_contents/{photo}')).status).toBe(200);
  });
});

describe('resources', () => {
  test('are the items of every workspace of the token, in pages', async () => {
    await world.token('both', workspace, ['--workspace', String(world.ids.foreign)]);
    const elsewhere = (await world.upload([file('there.png', png())], { token: 'both' })).json;
    expect(at(elsewhere, 'data', 0, 'status')).toBe('active');
    const both = await Assistant.byHttp(world, 'both');
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await both.client.listResources(cursor === undefined ? undefined : { cursor });
      found.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toContain(`postshelf://media/${world.ids.photo}`);
    expect(new Set(found).size).toBe(found.length);
    expect(await thrownBy(both.client.listResources({ cursor: `${crypto.randomUUID()}:1` }))).toMatchObject({
      code: -32602,
    });
    expect(await thrownBy(both.client.listResources({ cursor: '?' }))).toMatchObject({ code: -32602 });
    await both.close();
  });

  test('can be read as JSON', async () => {
    const { resourceTemplates } = await assistant.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'postshelf://media/{id}' }]);
    const uri = `postshelf://media/${world.ids.photo}`;
    const { contents } = await assistant.client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
    expect(JSON.parse(stringAt(contents, 0, 'text'))).toMatchObject({ id: world.ids.photo, details: { tags: [] } });
    for (const none of ['postshelf://media/none', 'file:///etc/passwd'])
      expect(await thrownBy(assistant.client.readResource({ uri: none }))).toMatchObject({ code: -32002 });
  });
});

describe('access', () => {
  const unauthenticated = async (answer: Response) => {
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toEqual({ message: 'Unauthenticated.' });
  };

  test('is denied without a token, with an invalid one and with a revoked one', async () => {
    await unauthenticated(await post(world, LIST_TOOLS));
    await unauthenticated(await post(world, LIST_TOOLS, bearer(world, 'a.b.c')));
    const id = await world.token('revoked', workspace);
    expect((await post(world, LIST_TOOLS, bearer(world, 'revoked'))).status).toBe(200);
    await world.command(['token', 'revoke', id]);
    await unauthenticated(await post(world, LIST_TOOLS, bearer(world, 'revoked')));
    expect(await thrownBy(Assistant.byHttp(world, 'a.b.c'))).toMatchObject({ code: 401 });
  });

  test('is denied with only a session cookie, which is ignored if there is a token', async () => {
    const { origin } = new URL(world.server.url);
    const json = { token: world.tokens.foreign };
    const signedIn = await world.call('POST /sessions', { token: null, headers: { origin }, json });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await world.call('GET /me', { token: null, headers: { cookie } })).status).toBe(200);
    await unauthenticated(await post(world, LIST_TOOLS, { cookie, origin }));
    await unauthenticated(await post(world, LIST_TOOLS, { cookie, origin, authorization: 'Basic dXNlcjpwYXNz' }));
    const me = await post(world, call('me_get', {}), { cookie, ...bearer(world) });
    expect(await me.json()).toMatchObject({
      result: { structuredContent: { data: { workspaces: [{ id: world.ids.workspace }] } } },
    });
  });

  test('is granted only to pages of the service and of CORS_ORIGINS', async () => {
    const from = async (origin: string) => (await post(world, LIST_TOOLS, { origin, ...bearer(world) })).status;
    expect(await from(new URL(world.server.url).origin)).toBe(200);
    expect(await from('https://studio.example')).toBe(200);
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'https://studio.example.evil.example'])
      expect(await from(origin)).toBe(403);
    // DNS rebinding lets a page reach the service under the page's own host name.
    const host = `evil.example:${world.server.port}`;
    const rebound = await post(world, LIST_TOOLS, { host, origin: `http://${host}`, ...bearer(world) });
    expect(rebound.status).toBe(403);
  });
});

test('the rate limit counts every message; beyond it, a tool call gets a tool error, and others get 429', async () => {
  const limited = await World.openAlone({ RATE_LIMIT_PER_MINUTE: '6' });
  const send = (message: unknown, headers = {}) => post(limited, message, { ...bearer(limited), ...headers });
  const list = () => send(LIST_TOOLS);
  const me = () => send(call('me_get', {}));
  const unread = () => [
    send({ ...call('me_get', {}), params: {} }),
    send({ ...call('me_get', {}), id: null }),
    send(call('me_get', {}), { accept: 'text/html' }),
  ];
  const answers = [await list(), await me(), ...(await Promise.all(unread())), await list()];
  const remaining = answers.map(({ headers }) => Number(headers.get('ratelimit-remaining')));
  expect(remaining.sort()).toEqual([0, 1, 2, 3, 4, 5]);
  for (const { status } of await Promise.all(unread())) expect(status).toBe(429);
  const [tool, other] = [await me(), await list()];
  expect(await lineOf(limited, tool)).toMatchObject({ tool: 'me_get', code: 'too_many_requests' });
  expect([tool.status, tool.headers.has('retry-after')]).toEqual([200, true]);
  expect(await tool.json()).toMatchObject({
    result: { isError: true, content: [{ text: '{"message":"Too many requests."}' }] },
  });
  expect([other.status, other.headers.has('retry-after')]).toEqual([429, true]);
  await limited.close();
});

describe('the transport', () => {
  test('has no sessions and no streams', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', ...bearer(world) };
      const answer = await fetch(`${world.server.url}/mcp`, { method, headers });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
    const answer = await post(world, LIST_TOOLS, { 'mcp-session-id': 'unknown', ...bearer(world) });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(answer.headers.get('content-type')).toStartWith('application/json');
  });

  test('supports every protocol version that the SDK supports', async () => {
    for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } };
      const answer = await post(world, { ...LIST_TOOLS, method: 'initialize', params }, bearer(world));
      expect(await answer.json()).toMatchObject({ result: { protocolVersion } });
    }
    const version = { 'mcp-protocol-version': '1999-01-01', ...bearer(world) };
    expect((await post(world, LIST_TOOLS, version)).status).toBe(400);
  });

  const refused: readonly [string, number, unknown, Readonly<Record<string, string>>?][] = [
    ['a body that is not JSON', 400, '{'],
    ['an array of messages', 400, [LIST_TOOLS, LIST_TOOLS]],
    ['an object that is not a message', 400, { id: 1 }],
    ['another content type', 415, LIST_TOOLS, { 'content-type': 'text/plain' }],
    ['a client that does not accept JSON', 406, LIST_TOOLS, { accept: 'text/html' }],
    ['a client that excludes JSON', 406, LIST_TOOLS, { accept: 'application/json;q=0, text/html' }],
    ['a body larger than 1 MB', 413, { ...LIST_TOOLS, params: { cursor: 'x'.repeat(1024 * 1024) } }],
    ['a body that is nested too deeply', 400, `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
  ];
  test.each(refused)('refuses %s', async (_, status, message, headers = {}) => {
    expect((await post(world, message, { ...bearer(world), ...headers })).status).toBe(status);
  });

  test.each(['*/*', 'application/json', 'application/*;q=0.5, text/html', 'application/json, application/mcp+json'])(
    'answers a client that accepts %s',
    async (accept) => {
      const answer = await post(world, LIST_TOOLS, { ...bearer(world), accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    },
  );

  test('names the invalid parameter in its error message', async () => {
    const clientInfo = { name: 'x', version: '1' };
    for (const [method, params, message] of [
      ['initialize', { protocolVersion: 7, capabilities: {}, clientInfo }, 'params.protocolVersion: '],
      ['tools/call', {}, 'params.name: '],
      ['tools/call', { name: 'me_get', arguments: [] }, 'params.arguments: '],
      ['resources/read', { uri: 1 }, 'params.uri: '],
    ] as const) {
      const answer = await post(world, { ...LIST_TOOLS, method, params }, bearer(world));
      const error = { code: -32602, message: expect.stringMatching(new RegExp(`^${message}Invalid input: expected`)) };
      expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: LIST_TOOLS.id, error });
    }
  });

  test('accepts null as the arguments of a tool', async () => {
    const params = { name: 'me_get', arguments: null };
    const answer = await post(world, { ...LIST_TOOLS, method: 'tools/call', params }, bearer(world));
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { data: {} } } });
  });

  test('accepts a notification without acting on it', async () => {
    const { id: _, ...notification } = call('folders_create', { workspace: world.ids.workspace, name: 'Unasked' });
    const answer = await post(world, notification, bearer(world));
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(JSON.stringify(await assistant.call('folders_list', { workspace }))).not.toContain('Unasked');
  });

  test('reports an unknown method as a protocol error', async () => {
    const answer = await post(world, { ...LIST_TOOLS, method: 'prompts/list' }, bearer(world));
    expect(await answer.json()).toMatchObject({ error: { code: -32601 } });
  });

  test('answers the preflight request of a page whose origin is in CORS_ORIGINS', async () => {
    const headers = { origin: 'https://studio.example', 'access-control-request-method': 'POST' };
    const answer = await fetch(`${world.server.url}/mcp`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
  });
});
