// These tests check who can create webhooks, what is refused, and what is never shown. The isolation tests check that
// ids of other workspaces are refused.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../support/disk.ts';
import { arrayAt, at, keysOf, stringAt } from '../support/reply.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { createWebhook, type Hook, Receiver, reachable } from './support/receiver.ts';

const WEBHOOKS = '/workspaces/{workspace}/webhooks';

let world: World;
let receiver: Receiver;
let hook: Hook;
/** All secrets that were shown. */
const secrets: string[] = [];

beforeAll(async () => {
  world = await World.open(reachable);
  receiver = new Receiver();
  hook = receiver.hook();
  world.ids.url = hook.url;
});

afterAll(async () => {
  receiver.close();
  await world.close();
});

const shown = {
  id: '{hook}',
  url: '{url}',
  types: ['media.active'],
  enabled: true,
  disabled_reason: null,
  created_at: expect.any(String),
  updated_at: expect.any(String),
};

const keepSecret = (json: unknown) => secrets.push(stringAt(json, 'data', 'secret'));

describe('a webhook', () => {
  table(
    () => world,
    [
      {
        name: 'is created with a secret',
        send: `POST ${WEBHOOKS}`,
        json: { url: '{url}', types: ['media.active'] },
        status: 201,
        after: ({ json }, { ids }) => {
          keepSecret(json);
          ids.hook = stringAt(json, 'data', 'id');
          const { secret, ...rest } = Object(at(json, 'data'));
          expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
          expect(rest).toEqual(world.fill(shown));
        },
      },
      row('is shown without its secret', 'GET /webhooks/{hook}', undefined, 200, { data: shown }),
      row('can be updated', 'PATCH /webhooks/{hook}', { types: null, url: '{url}' }, 200, {
        data: { ...shown, types: null },
        message: 'The webhook was updated.',
      }),
      row('can be disabled by a user without a reason', 'PATCH /webhooks/{hook}', { enabled: false }, 200, {
        data: { ...shown, types: null, enabled: false },
        message: 'The webhook was updated.',
      }),
      row('cannot be tested while it is disabled', 'POST /webhooks/{hook}/test', undefined, 422, { webhook: true }),
      row('can be enabled again', 'PATCH /webhooks/{hook}', { enabled: true }, 200),
      {
        name: 'gets another secret by rotation',
        send: 'POST /webhooks/{hook}/rotate_secret',
        status: 200,
        after: ({ json }) => {
          keepSecret(json);
          expect(secrets[1]).not.toBe(secrets[0]);
        },
      },
      {
        name: 'gets all types if it names none',
        send: `POST ${WEBHOOKS}`,
        json: { url: '{url}' },
        status: 201,
        after: ({ json }, { ids }) => {
          keepSecret(json);
          expect(at(json, 'data', 'types')).toBeNull();
          ids.newer = stringAt(json, 'data', 'id');
        },
      },
      {
        name: 'is listed newest first, without its secret',
        send: `GET ${WEBHOOKS}?per_page=2`,
        status: 200,
        after: ({ json, text }, { ids }) => {
          expect(arrayAt(json, 'data').map((item) => at(item, 'id'))).toEqual([ids.newer, ids.hook]);
          expect(text).not.toContain('whsec_');
        },
      },
      row('can be deleted', 'DELETE /webhooks/{newer}', undefined, 204),
      row('cannot be found after its deletion', 'GET /webhooks/{newer}', undefined, 404),
      row('has no deliveries initially', 'GET /webhooks/{hook}/deliveries', undefined, 200, {
        data: [],
        meta: expect.any(Object),
        links: expect.any(Object),
      }),
    ],
  );

  test('is created once by requests with the same idempotency key, which all return its secret', async () => {
    const headers = { 'idempotency-key': 'hook' };
    const make = () => world.call(`POST ${WEBHOOKS}`, { headers, json: { url: hook.url } });
    const [first, second] = [await make(), await make()];
    keepSecret(first.json);
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
    expect(second.json).toEqual(first.json);
  });
});

describe('a webhook is rejected because of', () => {
  const create = `POST ${WEBHOOKS}`;
  const urls: readonly (readonly [string, unknown])[] = [
    ['a missing url', undefined],
    ['a private address', 'http://10.0.0.1/'],
    ['a url that is too long', `https://example.com/${'a'.repeat(2048)}`],
    ['a lone surrogate in its url', 'https://example.com/\ud800'],
  ];
  table(
    () => world,
    [
      ...urls.map(([name, url]) => row(name, create, { url }, 422, { url: true })),
      row('an unknown type', create, { url: '{url}', types: ['media.active', 'x'] }, 422, { 'types.1': true }),
      row('the type of test events', create, { url: '{url}', types: ['webhook.test'] }, 422, { 'types.0': true }),
      row('the same type twice', create, { url: '{url}', types: ['media.active', 'media.active'] }, 422, {
        'types.1': true,
      }),
      row('an empty list of types', create, { url: '{url}', types: [] }, 422, { types: true }),
      row('a change to a private address', 'PATCH /webhooks/{hook}', { url: 'http://10.0.0.1/' }, 422, { url: true }),
      row('a change of its url to null', 'PATCH /webhooks/{hook}', { url: null }, 422, { url: true }),
      row('a string for enabled', 'PATCH /webhooks/{hook}', { enabled: 'no' }, 422, { enabled: true }),
    ],
  );

  test('the limit of 50 webhooks per workspace', async () => {
    const path = 'POST /workspaces/{foreign}/webhooks';
    const make = () => world.call(path, { token: 'foreign', json: { url: hook.url, types: ['post.deleted'] } });
    for (const reply of await Promise.all(Array.from({ length: 50 }, make))) expect(reply.status).toBe(201);
    const refused = await make();
    expect([refused.status, keysOf(at(refused.json, 'errors'))]).toEqual([422, ['webhook']]);
  });
});

describe('access to webhooks needs', () => {
  const scopes = (...names: string[]) => names.flatMap((name) => ['--scope', name]);

  test('the read scopes of their event types, and for a change those of the old and the new types', async () => {
    await world.token('media', '{workspace}', scopes('webhooks:write', 'media:read'));
    const token = 'media';
    const create = (types: unknown) => world.call(`POST ${WEBHOOKS}`, { token, json: { url: hook.url, types } });
    expect((await create(null)).status).toBe(403);
    const refused = await create(['media.active', 'folder.created']);
    expect([refused.status, at(refused.json, 'message')]).toEqual([403, 'The scope folders:read is missing.']);
    const made = await create(['media.active']);
    expect(made.status).toBe(201);
    keepSecret(made.json);
    const own = stringAt(made.json, 'data', 'id');
    const change = (id: string, json: object) => world.call(`PATCH /webhooks/${id}`, { token, json });
    expect((await change(own, { types: ['post.created'] })).status).toBe(403);
    expect((await change(own, { types: null })).status).toBe(403);
    expect((await change(own, { url: hook.url })).status).toBe(200);
    // The token has no access to this webhook's events. If it could change the webhook's URL or rotate its secret, its
    // owner could receive these events.
    const { id: theirs, secret } = await createWebhook(world, hook, ['folder.created']);
    secrets.push(secret);
    expect((await change(theirs, { url: hook.url })).status).toBe(403);
    expect((await world.call(`POST /webhooks/${theirs}/rotate_secret`, { token })).status).toBe(403);
  });

  test('webhooks:read for reading, and more than that for changes', async () => {
    await world.token('reader', '{workspace}', scopes('webhooks:read', 'media:read', 'folders:read', 'analytics:read'));
    const call = (send: string, json?: object) => world.call(send, { token: 'reader', json });
    expect((await call('GET /webhooks/{hook}')).status).toBe(200);
    expect((await call('GET /webhooks/{hook}/deliveries')).status).toBe(200);
    for (const send of [`POST ${WEBHOOKS}`, 'PATCH /webhooks/{hook}', 'POST /webhooks/{hook}/test'])
      expect((await call(send, { url: hook.url })).status).toBe(403);
  });
});

test('no webhook secret appears in the log, the database or a file', async () => {
  expect(secrets.length).toBeGreaterThan(4);
  const database = await world.database.text();
  const stored = [
    database ?? '',
    // Staged files are left out, because they may be removed before they are read.
    ...filesBelow(world.dataDir)
      .filter((path) => !path.includes('.staging/'))
      .map((path) => readFileSync(join(world.dataDir, path), 'latin1')),
  ];
  for (const secret of secrets) {
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const forms = [secret.slice('whsec_'.length), bytes.toString('latin1'), bytes.toString('hex')];
    const places = [world.server.log(), ...stored].filter((text) => forms.some((form) => text.includes(form)));
    expect(places.length).toBe(0);
  }
});
