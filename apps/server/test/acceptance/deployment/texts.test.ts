import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeDatabase, type RealPostgres, realPostgres, type TestDatabase } from '@postshelf/testing/servers/postgres';
import { kindOf } from '../isolation/support/kinds.ts';
import { make } from '../isolation/support/resources.ts';
import { document, operations } from '../support/contract.ts';
import * as fixtures from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { at, expectInvalid, keysOf } from '../support/reply.ts';
import { type CallOptions, World } from '../support/world.ts';

const server = await realPostgres('texts that PostgreSQL refuses');

/** PostgreSQL refuses NUL in any parameter, and pg would send a different character for a lone surrogate. */
const TEXTS = { NUL: 'a\0b', 'a lone surrogate': 'a\ud800b' } as const;

type Path = readonly (string | number)[];

describe.skipIf(!server)('the service with PostgreSQL', () => {
  let database: TestDatabase;
  let world: World;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    database = await makeDatabase(server as RealPostgres);
    world = await World.open({
      DATABASE_URL: database.url,
      IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    });
    const workspace = String(world.ids.workspace);
    await world.operator();
    for (const [kind, makeOne] of Object.entries(make))
      ids.set(kind, await makeOne(world, { workspace, token: 'all' }));
  });

  afterAll(async () => {
    await world.close();
    await database.remove();
  });

  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    const reference = at(value, '$ref');
    if (typeof reference === 'string') return resolved(at(document, ...reference.slice('#/'.length).split('/')));
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
  };

  const typeOf = (schema: unknown): unknown => {
    const type = at(schema, 'type');
    return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  };

  /** Makes an example of a schema with every field, and adds the path of each string in the example to `texts`. */
  function example(place: string, given: unknown, path: Path, texts: Path[]): unknown {
    const schema = at(given, 'anyOf', 0) ?? given;
    const choices = at(schema, 'enum');
    if (Array.isArray(choices)) return choices[0];
    if (typeOf(schema) === 'object') {
      const properties = Object(at(schema, 'properties') ?? {});
      return Object.fromEntries(
        Object.entries(properties).map(([key, part]) => [key, example(place, part, [...path, key], texts)]),
      );
    }
    if (typeOf(schema) === 'array') return [example(place, at(schema, 'items'), [...path, 0], texts)];
    if (typeOf(schema) === 'boolean') return true;
    if (typeOf(schema) === 'string') {
      texts.push(path);
      return textOf(place, String(path.findLast((key) => typeof key === 'string')), schema);
    }
    return at(schema, 'minimum') ?? at(schema, 'examples', 0) ?? 1;
  }

  function textOf(place: string, name: string, schema: unknown): unknown {
    const kind =
      at(schema, 'format') === 'uuid' || !at(schema, 'examples') ? kindOf(place, name, Object(schema)) : null;
    if (kind !== null) return ids.get(kind);
    if (at(schema, 'format') === 'email') return 'ada@example.com';
    return at(schema, 'examples', 0) ?? 'text';
  }

  function replaced(value: unknown, [key, ...rest]: Path, text: string): unknown {
    if (key === undefined) return text;
    if (Array.isArray(value)) return value.map((part, index) => (index === key ? replaced(part, rest, text) : part));
    return { ...Object(value), [key]: replaced(at(value, key), rest, text) };
  }

  const tokenFor = (scope: string | null): string => (scope === 'operator' ? 'operator' : 'all');

  /** The path of an operation, in which each parameter is replaced by the id of an existing resource. */
  const targetOf = (place: string, path: string): string => {
    const segments = path.replace(/#.*$/, '').split('/');
    return segments
      .map((segment, index) => {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        if (name === undefined) return segment;
        return ids.get(String(kindOf(place, name, { format: 'uuid' }, segments[index - 1] ?? ''))) ?? '';
      })
      .join('/');
  };

  async function expectNoFault(send: string, options: CallOptions): Promise<void> {
    const { status } = await world.call(send, options);
    // The request is part of the comparison, so that the failure message shows it.
    if (status >= 500) expect([status, send, options]).toEqual([]);
  }

  const plain = operations.filter(({ method, isOpen }) => method !== 'delete' && !isOpen);

  test.each(Object.entries(TEXTS))(
    'answers %s in any query parameter or JSON field without a server error',
    async (_, text) => {
      let sent = 0;
      for (const { place, method, path, scope } of plain) {
        const [send, token] = [`${method.toUpperCase()} ${targetOf(place, path)}`, tokenFor(scope)];
        const parameters = Object.values(Object(at(document, 'paths', path, method, 'parameters') ?? []));
        for (const parameter of parameters.filter((one) => at(one, 'in') === 'query')) {
          sent += 1;
          await expectNoFault(`${send}?${new URLSearchParams([[String(at(parameter, 'name')), text]])}`, { token });
        }
        const bodies = at(document, 'paths', path, method, 'requestBody', 'content');
        for (const type of keysOf(bodies ?? {})) {
          if (!/json/.test(type)) continue;
          const whole = resolved(at(bodies, type, 'schema'));
          const texts: Path[] = [];
          const body = example(place, at(whole, 'contentSchema', 'items') ?? whole, [], texts);
          for (const at of texts) {
            sent += 1;
            const headers = { 'content-type': type };
            await expectNoFault(send, { token, headers, body: JSON.stringify(replaced(body, at, text)) });
          }
        }
      }
      expect(sent).toBeGreaterThan(100);
    },
  );

  test.each(Object.entries(TEXTS))('answers %s as any id in a path without a server error', async (_, text) => {
    for (const { method, path, scope } of operations) {
      const target = path.replace(/#.*$/, '').replace(/\{\w+\}/g, encodeURIComponent(Buffer.from(text).toString()));
      await expectNoFault(`${method.toUpperCase()} ${target}`, { token: tokenFor(scope) });
    }
    for (const path of ['files', 'previews', 'archives', 'calendars']) {
      const address = `${world.server.url}/${path}/${encodeURIComponent(Buffer.from(text).toString())}`;
      expect((await fetch(address)).status).toBe(404);
    }
  });

  test.each(Object.entries(TEXTS))(
    'answers %s in any form field or tus metadata without a server error',
    async (_, text) => {
      for (const name of ['label', 'folder_id', 'on_duplicate', 'sha256[]', text]) {
        const parts = [file('a.jpg', fixtures.jpeg()), field(name, text)];
        expect((await world.upload(parts)).status).toBeLessThan(500);
      }
      expect((await world.upload([file(text, fixtures.jpeg())])).status).toBeLessThan(500);
      for (const name of ['filename', 'label', 'folder_id', 'on_duplicate', 'digest']) {
        const fields = Object.entries({ filename: 'a.jpg', [name]: text });
        const metadata = fields.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join();
        const headers = { 'tus-resumable': '1.0.0', 'upload-length': '10', 'upload-metadata': metadata };
        await expectNoFault('POST /workspaces/{workspace}/uploads', { headers });
      }
    },
  );

  test('rejects NUL with an error for a field whose text is stored or compared unchanged', async () => {
    const profile = ids.get('profile');
    const post = { profile, published_at: '2026-01-31T18:30:00Z' };
    const refused: readonly (readonly [string, object, string])[] = [
      ['POST /workspaces/{workspace}/posts', { ...post, external_id: TEXTS.NUL }, 'external_id'],
      [`PATCH /posts/${ids.get('post')}`, { external_id: TEXTS.NUL }, 'external_id'],
      ['POST /workspaces/{workspace}/profiles', { name: 'x', network: TEXTS.NUL }, 'network'],
    ];
    for (const [send, json, name] of refused) expectInvalid(await world.call(send, { json }), { [name]: true });
    expectInvalid(await world.call('GET /tokens?name=a%00b', { token: 'operator' }), { name: /control characters/ });
    expectInvalid(await world.call('GET /workspaces/{workspace}/media_contents?search=a%00b&tag=a%00b'), {
      search: true,
      tag: true,
    });
    const line = JSON.stringify({ ...post, external_id: TEXTS.NUL });
    const headers = { 'content-type': 'application/x-ndjson' };
    const report = await world.call('POST /workspaces/{workspace}/posts/import', { headers, body: line });
    expect(at(report.json, 'data', 'rejections', 0, 'errors')).toEqual({ external_id: [expect.any(String)] });
  });
});
