import { afterEach, describe, expect, test } from 'bun:test';
import { namedOperations, operatorOperations } from '../../src/operations/index.ts';
import { takesIfMatch } from '../../src/operations/operation.ts';
import { databases } from '../support/databases.ts';
import { startApi, type TestApi } from '../support/service.ts';

afterEach(databases.closeAll);

const ACCEPT = { Accept: 'application/json, text/event-stream' };

const tools = namedOperations.filter(([, { tool }]) => tool !== undefined);

async function send(api: TestApi, method: string, params: object): Promise<unknown> {
  const answer = await api.send('POST', '/mcp', { json: { jsonrpc: '2.0', id: 7, method, params } }, ACCEPT);
  expect(answer.status).toBe(200);
  return answer.json();
}

const call = (api: TestApi, name: string, input: object) =>
  send(api, 'tools/call', { name, arguments: { workspace: api.workspace.id, ...input } });

describe('MCP tools', () => {
  test('are few enough for an assistant, and each has a unique name', () => {
    const names = tools.map(([, { tool }]) => tool);
    expect(names.length).toBeWithin(1, 26);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(tools)('expose no secrets or rights: %s', (path, operation) => {
    expect(operation.tool).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(operation.withheld).toBeUndefined();
    expect(operation.scope ?? '').not.toMatch(/^(operator|people:|webhooks:)/);
    expect(Object.values<unknown>(operatorOperations).flatMap((group) => Object.values(group as object))).not.toContain(
      operation,
    );
    expect(path).not.toMatch(/^(tokens|sessions|people|calendars|webhooks|links)\./);
  });

  test('are listed without details that only the OpenAPI document needs', async () => {
    const text = JSON.stringify(await send(await startApi(), 'tools/list', {}));
    expect(text).not.toMatch(/"x-extension"|"examples"|"\$ref"|docs\/api\.md/);
    // An assistant keeps this text in its context all the time, so it must be short.
    expect(text.length).toBeLessThan(120_000);
  });

  test('take if_match exactly where REST takes If-Match', async () => {
    const listed = (await send(await startApi(), 'tools/list', {})) as {
      readonly result: { readonly tools: readonly { name: string; inputSchema: { properties: object } }[] };
    };
    for (const [, operation] of tools) {
      const shown = listed.result.tools.find(({ name }) => name === operation.tool);
      expect('if_match' in (shown?.inputSchema.properties ?? {})).toBe(takesIfMatch(operation));
    }
  });
});

describe('a fault over MCP', () => {
  const inside = () => Promise.reject(new Error('SELECT * FROM secrets'));

  test('of a tool is returned without details and reported', async () => {
    const api = await startApi(({ media }) => ({ media: { ...media, list: inside } }));
    expect(await call(api, 'media_list', {})).toMatchObject({
      result: { isError: true, content: [{ type: 'text', text: '{"message":"Server error."}' }] },
    });
    expect(api.reported).toHaveLength(1);
  });

  test('while a resource is read is returned without details, and is reported', async () => {
    const api = await startApi(({ media }) => ({ media: { ...media, list: inside } }));
    const answer = await send(api, 'resources/list', {});
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'Server error.', data: { message: 'Server error.' } },
    });
    expect(api.reported).toHaveLength(1);
  });
});

test('unread MCP responses count towards the memory limit of their token', async () => {
  const api = await startApi();
  const path = `/v1/workspaces/${api.workspace.id}/profiles`;
  const made = await api.send('POST', path, { json: { name: 'Shop', network: 'instagram' } });
  const { data: profile } = (await made.json()) as { readonly data: { readonly id: string } };
  const text = 'x'.repeat(10_000);
  for (let index = 0; index < 100; index++)
    await call(api, 'posts_create', { profile: profile.id, published_at: '2026-01-02T03:04:05Z', text });
  const params = { name: 'posts_list', arguments: { workspace: api.workspace.id, per_page: 100 } };
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const unread: Response[] = [];
  for (let index = 0; index < 10; index++) unread.push(await api.send('POST', '/mcp', { json }, ACCEPT));
  const texts = await Promise.all(unread.map((answer) => answer.text()));
  // Each answer of a megabyte reserves three times its size. The unread answers to a token may hold 16 MiB.
  expect(texts.map((answer) => answer.includes('answers to this token are still unread'))).toEqual([
    ...Array.from({ length: 5 }, () => false),
    ...Array.from({ length: 5 }, () => true),
  ]);
  expect(await call(api, 'posts_list', { per_page: 100 })).not.toMatchObject({ result: { isError: true } });
});

test('an MCP request with an unknown token is rejected before its body is read', async () => {
  const api = await startApi();
  const body = new ReadableStream({ pull: () => Promise.reject(new Error('The body was read.')) });
  const Authorization = 'Bearer no.good.token';
  const answer = await api.send('POST', '/mcp', body as unknown as string, { Authorization, ...ACCEPT });
  expect(answer.status).toBe(401);
});
