import { afterAll, describe, expect, test } from 'bun:test';
import { MAX_LISTED_TEXT, MAX_POST_TEXT_LENGTH, type Uuid } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { ANSWERS, MemoryShares } from '../src/memory-shares.ts';
import { inPieces, Reply } from '../src/reply.ts';
import { databases } from './support/databases.ts';
import { startApi } from './support/service.ts';

afterAll(databases.closeAll);

const KB = 1024;
const [one, two] = ['one', 'two'] as unknown as [Uuid, Uuid];

describe('the memory of unread responses', () => {
  test('is limited per caller', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 1000 * KB, caller: 200 * KB });
    const first = memory.take(one, 150 * KB);
    expect(() => memory.take(one, 100 * KB)).toThrow('busy');
    expect(memory.take(two, 150 * KB)).not.toBeNull();
    first?.();
    first?.();
    expect(() => memory.take(one, 201 * KB)).toThrow('busy');
    expect(memory.take(one, 200 * KB)).not.toBeNull();
  });

  test('is limited in total, and one caller can hold at most half of what is still free', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 1600 * KB, caller: 1600 * KB });
    for (const [caller, max] of [
      ['one', 800],
      ['two', 400],
      ['three', 200],
      ['four', 100],
    ] as const) {
      expect(() => memory.take(caller, max * KB + 1)).toThrow('busy');
      expect(memory.take(caller, max * KB)).not.toBeNull();
      expect(() => memory.take(caller, 64 * KB)).toThrow('busy');
    }
  });

  test('is not counted for small responses', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 0, caller: 0 });
    expect(memory.take(one, 64 * KB - 1)).toBeNull();
  });
});

test('parts of a response that are each too small to count are counted together', () => {
  const reply = new Reply(new MemoryShares({ ...ANSWERS, caller: 200 * KB }), { holder: one });
  for (let part = 0; part < 4; part += 1) reply.hold(50 * KB);
  expect(() => reply.hold(50 * KB)).not.toThrow();
  expect(() => reply.hold(50 * KB)).toThrow('busy');
});

describe('a response body in pieces', () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const body = () => new Blob(Array(5).fill(bytes)).stream();

  test('is delivered unchanged, and its memory is released once', async () => {
    let ended = 0;
    const read = await new Response(inPieces(body(), () => ended++)).bytes();
    expect(Buffer.compare(read, Buffer.concat(Array(5).fill(bytes)))).toBe(0);
    expect(ended).toBe(1);
  });

  test('is not read ahead of its reader, and its memory is released when the reader stops', async () => {
    let [pulled, ended] = [0, 0];
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(64 * KB));
      },
    });
    const reader = inPieces(endless, () => ended++).getReader();
    await reader.read();
    expect(pulled).toBeLessThan(5);
    expect(ended).toBe(0);
    await reader.cancel();
    expect(ended).toBe(1);
  });

  test('fails when the original body fails, and its memory is released', async () => {
    let ended = 0;
    const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('The disk is gone.')) });
    const reader = inPieces(broken, () => ended++).getReader();
    expect(await outcomeOf(reader.read())).toThrow('The disk is gone.');
    expect(ended).toBe(1);
  });
});

/** The longest text that a list returns for a post. A page of a hundred posts with this text has about 4 MB. */
const LONGEST = '😀'.repeat(MAX_LISTED_TEXT);

describe.each([
  ['REST', (id: string) => `/v1/workspaces/${id}/posts?per_page=100`],
  ['tRPC', (id: string) => `/trpc/posts.list?input=${JSON.stringify({ workspace: id, per_page: 100 })}`],
  [
    'a batch over tRPC',
    (id: string) => `/trpc/posts.list?batch=1&input=${JSON.stringify({ 0: { workspace: id, per_page: 100 } })}`,
  ],
])('large responses over %s', (_, path) => {
  test('are refused while earlier ones are unread, until some are read or cancelled', async () => {
    const { ports, workspace, send, tokenWith, reported } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    for (let n = 0; n < 100; n++) await addPost(ports, profile, { text: LONGEST });
    const ask = () => send('GET', path(workspace.id));
    const unread = [await ask(), await ask(), await ask(), await ask()];
    expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('Too many answers to this token are still unread.');
    // Other callers are served in the meantime.
    const headers = { Authorization: `Bearer ${await tokenWith({})}` };
    const other = await send('GET', path(workspace.id), undefined, headers);
    expect(other.status).toBe(200);
    expect((await other.bytes()).length).toBeGreaterThan(3_900_000);
    await unread[0]?.body?.cancel();
    const fifth = await ask();
    expect(fifth.status).toBe(200);
    await Promise.all([...unread.slice(1), fifth].map((response) => response.text()));
    expect((await ask()).status).toBe(200);
    expect(reported).toEqual([]);
  });
});

describe.each([
  ['REST', (id: string, likes: number) => ['PUT', `/v1/posts/${id}/metrics`, { likes }] as const],
  [
    'a batch over tRPC',
    (id: string, likes: number) => ['POST', '/trpc/posts.updateMetrics?batch=1', { 0: { id, likes } }] as const,
  ],
])('mutations with large responses over %s', (_, change) => {
  test('are refused before they run while earlier responses are unread', async () => {
    const { ports, workspace, send, reported } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    const { id } = await addPost(ports, profile, { text: '😀'.repeat(MAX_POST_TEXT_LENGTH) });
    const unread: Response[] = [];
    const ask = () => {
      const [method, path, json] = change(id, unread.length + 1);
      return send(method, path, { json });
    };
    let last = await ask();
    for (; last.status === 200 && unread.length < 100; last = await ask()) unread.push(last);
    expect(last.status).toBe(503);
    expect(unread.length).toBeWithin(60, 65);
    expect((await ports.posts.find(id))?.metrics.likes).toBe(unread.length);
    // Small answers aren't counted.
    const short = await addPost(ports, profile);
    const [method, path, json] = change(short.id, 7);
    expect((await send(method, path, { json })).status).toBe(200);
    await Promise.all(unread.map((response) => response.text()));
    expect((await ask()).status).toBe(200);
    expect(reported).toEqual([]);
  });
});

test('a post is neither created nor replayed while too many responses are unread', async () => {
  const { ports, workspace, send } = await startApi();
  const profile = await addProfile(ports, workspace.id);
  const json = { profile: profile.id, published_at: '2026-01-01T00:00:00Z', text: '😀'.repeat(MAX_POST_TEXT_LENGTH) };
  const create = (key: string) =>
    send('POST', `/v1/workspaces/${workspace.id}/posts`, { json }, { 'Idempotency-Key': key });
  const count = async () => (await ports.posts.list(workspace.id, {}, { offset: 0, limit: 1 })).total;
  const unread = [await create('first')];
  let last = await create('1');
  for (let key = 2; last.status === 201 && key < 100; key += 1) {
    unread.push(last);
    last = await create(`${key}`);
  }
  expect(last.status).toBe(503);
  expect(await count()).toBe(unread.length);
  expect((await create('first')).status).toBe(503);
  await Promise.all(unread.map((response) => response.text()));
  const repeat = await create('first');
  expect(repeat.status).toBe(201);
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  expect(await count()).toBe(unread.length);
});

test('unread import reports block the next import before it begins', async () => {
  const { ports, workspace, send } = await startApi();
  const profile = await addProfile(ports, workspace.id);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const unread: Response[] = [];
  const importOne = () => {
    const post = { profile: profile.id, published_at: '2026-01-01T00:00:00Z', external_id: `${unread.length}` };
    return send('POST', `/v1/workspaces/${workspace.id}/posts/import`, JSON.stringify(post), headers);
  };
  for (let last = await importOne(); last.status === 200 && unread.length < 100; last = await importOne())
    unread.push(last);
  expect(unread).toHaveLength(21);
  expect((await ports.posts.list(workspace.id, {}, { offset: 0, limit: 1 })).total).toBe(21);
});

describe('a streamed batch', () => {
  test.each([
    ['read to its end', async (response: Response) => (await response.text()).length],
    [
      'cancelled in the middle',
      async (response: Response) => {
        const reader = response.body?.getReader();
        const { value } = (await reader?.read()) ?? {};
        await reader?.cancel();
        return value?.length;
      },
    ],
    ['cancelled before it was read', async (response: Response) => response.body?.cancel()],
  ])('holds no memory after it was %s', async (_, use) => {
    const { ports, workspace, send, reported } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    for (let n = 0; n < 100; n++) await addPost(ports, profile, { text: LONGEST });
    const call = { workspace: workspace.id, per_page: 100 };
    const path = `/trpc/posts.list,posts.list?batch=1&input=${JSON.stringify({ 0: call, 1: call })}`;
    for (let times = 0; times < 4; times++) {
      const response = await send('GET', path, undefined, { 'trpc-accept': 'application/jsonl' });
      expect(response.status).toBe(200);
      await use(response);
    }
    const plain = [await send('GET', path), await send('GET', path)];
    expect(plain.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(plain.map((response) => response.text()));
    expect(reported).toEqual([]);
  });
});
