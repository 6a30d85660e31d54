// A request that is repeated with the same Idempotency-Key is only executed once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gate, serve, serveGated } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin, type Page } from '../imports/support/origin.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { operations } from '../support/contract.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { field, file, multipart, type Part } from '../support/multipart.ts';
import { EVERY_SCOPE } from '../support/prepared-library.ts';
import { at, expectErrorShape, expectInvalid, type Reply, stringAt } from '../support/reply.ts';
import { type CallOptions, World } from '../support/world.ts';

const TAKEN = { idempotency_key: 'The idempotency key was already used for another request.' };
const IN_WORKSPACE = '/workspaces/{workspace}';
const MEDIA = `${IN_WORKSPACE}/media_contents`;
const FOLDERS = `${IN_WORKSPACE}/media_library/folders`;
const WEBHOOKS = `${IN_WORKSPACE}/webhooks`;
const PEOPLE = `${IN_WORKSPACE}/people`;

/** This name never resolves (RFC 2606). */
const RECEIVER = 'https://receiver.invalid/';

let world: World;
let origin: Origin;
let page: Page;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  page = origin.page('picture.png', serve(fixtures.png(), { type: 'image/png' }));
  world.ids.profile = await makeProfile(world);
  await world.token('second', '{workspace}', EVERY_SCOPE);
  world.ids.picture = (await world.storeOne(file('picture.png', fixtures.png()))).id;
  // This webhook only gets quota events, so other requests, such as a `fit` that ends late, send it nothing.
  const hook = { json: { url: RECEIVER, types: ['workspace.quota'] } };
  world.ids.webhook = stringAt((await world.call(`POST ${WEBHOOKS}`, hook)).json, 'data', 'id');
  const ada = { json: { name: 'Ada', role: 'viewer' } };
  world.ids.person = stringAt((await world.call(`POST ${PEOPLE}`, ada)).json, 'data', 'id');
  world.ids.delivery = stringAt((await world.call('POST /webhooks/{webhook}/test')).json, 'data', 'id');
});

afterAll(async () => {
  await world.close();
  origin.close();
});

const newKey = (): string => `key-${randomUUID()}`;

const keyed = (key: string, { headers, ...options }: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { ...headers, 'idempotency-key': key },
});

const isReplayed = ({ headers }: Reply): boolean => headers.get('idempotency-replayed') === 'true';

const total = async (list: string): Promise<unknown> => at((await world.call(`GET ${list}`)).json, 'meta', 'total');

const form = (parts: readonly Part[], mark?: string): CallOptions => {
  const { contentType, bytes } = multipart(parts, mark);
  return { headers: { 'content-type': contentType }, body: bytes };
};

/** The data for the tests of a documented POST operation. */
interface Operation {
  readonly path: string;
  request(): CallOptions;
  /** A different request to the same path. */
  readonly other: CallOptions;
  /** The list that shows what the operation creates. It is null if the operation creates nothing. */
  readonly list: string | null;
  /** Whether a worker creates the files of the operation later, at an unpredictable time. */
  readonly isMadeLater?: boolean;
}

const pictures = (name = 'a.png', bytes = fixtures.png()): readonly Part[] => [
  file(name, bytes),
  field('label', 'Sun'),
  field('folder_id', ''),
];

const OPERATIONS: Readonly<Record<string, Operation>> = {
  [`POST ${MEDIA}`]: {
    path: MEDIA,
    request: () => ({ json: { url: page.url } }),
    other: { json: { url: 'http://127.0.0.1:1/other.png' } },
    list: MEDIA,
  },
  [`POST ${MEDIA}#files`]: {
    path: MEDIA,
    request: () => form(pictures()),
    other: form(pictures('b.png')),
    list: MEDIA,
  },
  [`POST ${MEDIA}/presign`]: {
    path: `${MEDIA}/presign`,
    request: () => ({ json: { files: [{ name: 'a.png', size: 9, mime: 'image/png' }] } }),
    other: { json: { files: [{ name: 'a.png', size: 8, mime: 'image/png' }] } },
    list: MEDIA,
  },
  'POST /media_contents/{id}/confirm': {
    path: '/media_contents/{uploaded}/confirm',
    request: () => ({}),
    other: { json: { other: true } },
    list: null,
  },
  'POST /media_contents/{id}/fit': {
    path: '/media_contents/{picture}/fit',
    request: () => ({ json: { target: 'x.post' } }),
    other: { json: { target: 'x.post', how: 'crop' } },
    list: MEDIA,
    isMadeLater: true,
  },
  [`POST ${MEDIA}/batch`]: {
    path: `${MEDIA}/batch`,
    request: () => ({ json: { ids: ['{picture}'], action: 'tag', tags: ['summer'] } }),
    other: { json: { ids: ['{picture}'], action: 'untag', tags: ['summer'] } },
    list: null,
  },
  [`POST ${MEDIA}/zip`]: {
    path: `${MEDIA}/zip`,
    request: () => ({ json: { ids: ['{picture}'] } }),
    other: { json: { ids: ['{uploaded}'] } },
    list: null,
  },
  [`POST ${IN_WORKSPACE}/readiness`]: {
    path: `${IN_WORKSPACE}/readiness`,
    request: () => ({ json: { targets: ['x.post'], media_content_ids: ['{picture}'] } }),
    other: { json: { targets: ['instagram.reel'], media_content_ids: ['{picture}'] } },
    list: null,
  },
  'POST /media_contents/{id}/links': {
    path: '/media_contents/{picture}/links',
    request: () => ({ json: { expires_in: 60 } }),
    other: { json: { expires_in: 61 } },
    list: null,
  },
  'POST /media_contents/{id}/fetch_check': {
    path: '/media_contents/{picture}/fetch_check',
    request: () => ({ json: { targets: ['x.post'] } }),
    other: { json: { targets: ['bluesky.post'] } },
    list: null,
  },
  [`POST ${IN_WORKSPACE}/links`]: {
    path: `${IN_WORKSPACE}/links`,
    request: () => ({ json: { ids: ['{picture}'], expires_in: 60 } }),
    other: { json: { ids: ['{picture}'], expires_in: 61 } },
    list: null,
  },
  [`POST ${IN_WORKSPACE}/rotate_link_key`]: {
    path: `${IN_WORKSPACE}/rotate_link_key`,
    request: () => ({}),
    other: { json: { other: true } },
    list: null,
  },
  [`POST ${FOLDERS}`]: {
    path: FOLDERS,
    request: () => ({ json: { name: `Folder ${randomUUID()}` } }),
    other: { json: { name: 'Other' } },
    list: FOLDERS,
  },
  [`POST ${IN_WORKSPACE}/profiles`]: {
    path: `${IN_WORKSPACE}/profiles`,
    request: () => ({ json: { name: 'Beach', network: 'x' } }),
    other: { json: { name: 'Beach', network: 'y' } },
    list: `${IN_WORKSPACE}/profiles`,
  },
  [`POST ${IN_WORKSPACE}/posts`]: {
    path: `${IN_WORKSPACE}/posts`,
    request: () => ({ json: { profile: '{profile}', published_at: '2026-01-31T18:30:00Z', text: 'Sun' } }),
    other: { json: { profile: '{profile}', published_at: '2026-01-31T18:30:00Z', text: 'Rain' } },
    list: `${IN_WORKSPACE}/posts`,
  },
  'POST /workspaces/{workspace}/calendars': {
    path: `${IN_WORKSPACE}/calendars`,
    request: () => ({ json: { count: 3 } }),
    other: { json: { count: 4 } },
    list: `${IN_WORKSPACE}/calendars`,
  },
  [`POST ${WEBHOOKS}`]: {
    path: WEBHOOKS,
    request: () => ({ json: { url: RECEIVER } }),
    other: { json: { url: `${RECEIVER}other` } },
    list: WEBHOOKS,
  },
  'POST /workspaces/{workspace}/people': {
    path: PEOPLE,
    request: () => ({ json: { name: 'Ada', role: 'viewer' } }),
    other: { json: { name: 'Bob', role: 'viewer' } },
    list: PEOPLE,
  },
  'POST /people/{id}/invite': {
    path: '/people/{person}/invite',
    request: () => ({}),
    other: { json: { other: true } },
    list: null,
  },
  'POST /webhooks/{id}/rotate_secret': {
    path: '/webhooks/{webhook}/rotate_secret',
    request: () => ({}),
    other: { json: { other: true } },
    list: null,
  },
  'POST /webhooks/{id}/test': {
    path: '/webhooks/{webhook}/test',
    request: () => ({}),
    other: { json: { other: true } },
    list: '/webhooks/{webhook}/deliveries',
  },
  'POST /webhook_deliveries/{id}/redeliver': {
    path: '/webhook_deliveries/{delivery}/redeliver',
    request: () => ({}),
    other: { json: { other: true } },
    list: null,
  },
};

/** Uploads a file to a presigned address. @returns the id of the item, to be confirmed */
async function uploadPresigned(): Promise<string> {
  const bytes = fixtures.png();
  const issued = await world.call(`POST ${MEDIA}/presign`, {
    json: { files: [{ name: 'a.png', size: bytes.length, mime: 'image/png' }] },
  });
  const [url, headers] = ['upload_url', 'upload_headers'].map((name) => stringAt(issued.json, 'data', 0, name));
  const put = await fetch(url ?? '', { method: 'PUT', headers: JSON.parse(headers ?? ''), body: Buffer.from(bytes) });
  expect(put.ok).toBe(true);
  return stringAt(issued.json, 'data', 0, 'id');
}

/**
 * The names of all files, except for staged ones and the results of earlier `fit` requests, which may appear at any
 * time.
 */
const storedFiles = async () =>
  (await world.files()).filter((path) => !path.endsWith('-x-post.png') && !path.includes('.staging/'));

test('every POST in a workspace is tested here, except imports of posts, restores and resumable uploads', () => {
  const isTested = (each: (typeof operations)[number]) => !each.isOpen && each.scope !== 'operator';
  const posts = operations.filter((each) => each.method === 'post' && isTested(each)).map(({ place }) => place);
  expect(posts.filter((place) => !/\/(?:import|restore|uploads)$/.test(place)).sort()).toEqual(
    Object.keys(OPERATIONS).sort(),
  );
});

const possible = Object.entries(OPERATIONS).filter(([place]) => hasFfmpeg || !place.endsWith('/fit'));

describe.each(possible)('%s', (_, { path, request, other, list, isMadeLater }) => {
  test('is executed once per key and token, gives repeats the same answer, and refuses different requests', async () => {
    world.ids.uploaded = await uploadPresigned();
    const [key, options, send] = [newKey(), request(), `POST ${path}`];
    const count = async () => (list === null ? 0 : Number(await total(list)));
    const files = async () => (isMadeLater ? [] : await storedFiles());
    const before = { count: await count(), fetched: page.requests.length, files: await files() };
    const first = await world.call(send, keyed(key, options));
    expect({ ok: [200, 201, 202, 204].includes(first.status), replayed: isReplayed(first), is: first.text }).toEqual({
      ok: true,
      replayed: false,
      is: first.text,
    });
    const after = { count: await count(), fetched: page.requests.length, files: await files() };
    expect(after.count).toBe(before.count + (list === null ? 0 : 1));
    for (const again of await Promise.all([1, 2].map(() => world.call(send, keyed(key, options))))) {
      expect({ status: again.status, text: again.text, replayed: isReplayed(again) }).toEqual({
        status: first.status,
        text: first.text,
        replayed: true,
      });
    }
    expectInvalid(await world.call(send, keyed(key, other)), TAKEN);
    expect({ count: await count(), fetched: page.requests.length, files: await files() }).toEqual(after);
    // Callers with a different token or from another workspace can't tell from the response that the key was used.
    expect((await world.call(send, keyed(key, { ...options, token: 'foreign' }))).status).toBe(404);
    const { status, ...reply } = await world.call(send, keyed(key, { ...options, token: 'second' }));
    expect({ status, replayed: isReplayed({ status, ...reply }) }).toEqual(
      path === FOLDERS ? { status: 422, replayed: false } : { status: first.status, replayed: false },
    );
    for (const bad of ['', 'x'.repeat(256), 'two words', 'schl\u00fcssel'])
      expectInvalid(await world.call(send, keyed(bad, options)), { idempotency_key: /1 to 255 visible ASCII/ });
    expect((await world.call(send, keyed('x'.repeat(255), { ...options, token: 'foreign' }))).status).toBe(404);
  });
});

describe('an idempotency key', () => {
  test.each([
    ['JSON', `POST ${FOLDERS}`, () => ({ json: { name: `Folder ${randomUUID()}` } }), FOLDERS],
    ['a form', `POST ${MEDIA}`, () => form(pictures()), MEDIA],
  ] as const)('executes only one of twenty concurrent equal requests with %s', async (_, send, request, list) => {
    const [key, options, before] = [newKey(), request(), Number(await total(list))];
    const replies = await Promise.all(Array.from({ length: 20 }, () => world.call(send, keyed(key, options))));
    const [done = null] = replies.filter((reply) => reply.status === 201 && !isReplayed(reply));
    for (const reply of replies) {
      if (reply.status === 201) expect(reply.text).toBe(`${done?.text}`);
      else {
        expect({ status: reply.status, after: reply.headers.get('retry-after') }).toEqual({ status: 409, after: '1' });
        expectErrorShape(reply);
      }
    }
    expect(replies.filter((reply) => reply.status === 201 && !isReplayed(reply))).toHaveLength(1);
    expect(await total(list)).toBe(before + 1);
  });

  test('is refused by every server while its first request runs, or until the lease of a killed server ends', async () => {
    const opened = gate();
    const slow = origin.page('slow.png', serveGated(fixtures.png(), 20, opened, { type: 'image/png' }));
    const other = await world.startAnother();
    const send = `POST ${MEDIA}`;
    const [options, killed] = [
      keyed(newKey(), { json: { url: slow.url } }),
      keyed(newKey(), { json: { url: slow.url } }),
    ];
    try {
      const headers = { ...killed.headers, authorization: `Bearer ${world.tokens.all}` };
      const gone = fetch(`${other.url}/v1${world.fill(MEDIA)}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(killed.json),
      }).catch(() => null);
      const first = world.call(send, options);
      while (slow.requests.length < 2) await Bun.sleep(10);
      expect([await world.call(send, options), await world.call(send, killed)].map(({ status }) => status)).toEqual([
        409, 409,
      ]);
      await other.end('SIGKILL');
      await gone;
      opened.open();
      expect((await first).status).toBe(201);
      expect((await world.call(send, killed)).status).toBe(409);
      await world.database.change('update repeats set lease_until = 1 where lease_until is not null');
      const anew = await world.call(send, killed);
      expect({ status: anew.status, replayed: isReplayed(anew) }).toEqual({ status: 201, replayed: false });
      expect(isReplayed(await world.call(send, options))).toBe(true);
      expect(isReplayed(await world.call(send, killed))).toBe(true);
    } finally {
      await other.end('SIGKILL');
    }
  });

  test('can be used again if the request fails', async () => {
    const key = newKey();
    const name = `Folder ${randomUUID()}`;
    expectInvalid(await world.call(`POST ${FOLDERS}`, keyed(key, { json: { name: '' } })), { name: true });
    expectInvalid(await world.upload([file('a.txt', 'no picture')], keyed(key)), { 'files.0': true });
    expect((await world.call(`POST ${FOLDERS}`, keyed(key, { json: { name } }))).status).toBe(201);
  });

  test('identifies a form by its fields, file names and bytes, not by boundary, order or part types', async () => {
    const key = newKey();
    const send = (parts: readonly Part[], mark?: string) => world.call(`POST ${MEDIA}`, keyed(key, form(parts, mark)));
    const first = await send(pictures());
    const files = await storedFiles();
    const [picture, ...fields] = pictures();
    const again = await send([...fields, { ...(picture as Part), name: 'files', type: 'image/png' }], '--another');
    expect({ text: again.text, replayed: isReplayed(again) }).toEqual({ text: first.text, replayed: true });
    const others = [
      pictures('b.png'),
      pictures('a.png', fixtures.jpeg()),
      [...pictures(), file('c.png', 'c')],
      [file('a.png', fixtures.png())],
    ];
    for (const parts of others) expectInvalid(await send(parts), TAKEN);
    expect(await storedFiles()).toEqual(files);
  });

  test('expires after a day or when its token is revoked, and is in neither log nor database', async () => {
    const key = newKey();
    const token = await world.token('brief', '{workspace}');
    const once = (by: string) =>
      world.call(`POST ${MEDIA}/presign`, keyed(key, { ...OPERATIONS[`POST ${MEDIA}/presign`]?.request(), token: by }));
    const first = await once('brief');
    expect(first.status).toBe(201);
    expect(
      await world.database.change(`update repeats set expires_at = ${Date.now() - 1} where token_id = '${token}'`),
    ).toBe(1);
    const second = await once('brief');
    expect({ replayed: isReplayed(second), isOther: second.text !== first.text }).toEqual({
      replayed: false,
      isOther: true,
    });
    expect(isReplayed(await once('brief'))).toBe(true);
    const database = join(world.dataDir, 'postshelf.db');
    const bytes = [database, `${database}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
    const text = (await world.database.text()) ?? Buffer.concat(bytes).toString('latin1');
    expect(text).toContain(token);
    expect([text, world.server.log()].map((each) => each.includes(key))).toEqual([false, false]);
    await world.run(['token', 'revoke', token]);
    expect(await world.database.change(`delete from repeats where token_id = '${token}'`)).toBe(0);
  });

  test('applies to each call of a tRPC batch, and is ignored for reads', async () => {
    const key = newKey();
    const mutate = (calls: readonly string[], inputs: readonly object[]) =>
      world.call(
        `POST /trpc/${calls.join(',')}${calls.length > 1 ? '?batch=1' : ''}`,
        keyed(key, { json: calls.length > 1 ? { ...inputs } : inputs[0] }),
      );
    const folder = (name: string) => ({ workspace: '{workspace}', name });
    const [one, two, three] = [folder(randomUUID()), folder(randomUUID()), folder(randomUUID())];
    const calls = ['folders.create', 'folders.create'];
    const first = await mutate(calls, [one, two]);
    const again = await mutate(calls, [one, two]);
    expect([first.status, isReplayed(first), again.status, isReplayed(again)]).toEqual([200, false, 200, true]);
    expect(again.text).toBe(first.text);
    const half = await mutate(calls, [one, three]);
    expect(at(half.json, 0)).toEqual(at(first.json, 0));
    expect(at(half.json, 1, 'error', 'data', 'errors', 'idempotency_key')).toEqual([TAKEN.idempotency_key]);
    expect(isReplayed(half)).toBe(true);
    const alone = await mutate(['folders.create'], [three]);
    expect([alone.status, isReplayed(alone)]).toEqual([200, false]);
    const id = stringAt(alone.json, 'result', 'data', 'data', 'id');
    const remove = keyed(newKey(), { json: { folder: id } });
    expect((await world.call('POST /trpc/folders.delete', remove)).status).toBe(200);
    const removed = await world.call('POST /trpc/folders.delete', remove);
    expect([removed.status, at(removed.json, 'result', 'data'), isReplayed(removed)]).toEqual([200, null, true]);
    const read = await world.call(`GET ${FOLDERS}`, keyed('not a key'));
    expect([read.status, isReplayed(read)]).toEqual([200, false]);
  });
});
