import { afterAll, describe, expect, test } from 'bun:test';
import { MAX_LISTED_TEXT, type Uuid } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { ANSWERS, MemoryShares } from '../src/memory-shares.ts';
import { inPieces } from '../src/reply.ts';
import { databases } from './support/databases.ts';
import { startApi } from './support/service.ts';

afterAll(databases.closeAll);

const KB = 1024;
const [one, two] = ['one', 'two'] as unknown as [Uuid, Uuid];

describe('The memory of answers that have not been read yet', () => {
  test('is bounded for each caller', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 1000 * KB, caller: 200 * KB });
    const first = memory.take(one, 150 * KB);
    expect(() => memory.take(one, 100 * KB)).toThrow('busy');
    expect(memory.take(two, 150 * KB)).not.toBeNull();
    first?.();
    first?.();
    expect(() => memory.take(one, 201 * KB)).toThrow('busy');
    expect(memory.take(one, 200 * KB)).not.toBeNull();
  });

  test('is bounded in total, and something is left however much the others hold', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 1600 * KB, caller: 1600 * KB });
    for (const [caller, most] of [
      ['one', 800],
      ['two', 400],
      ['three', 200],
      ['four', 100],
    ] as const) {
      expect(() => memory.take(caller, most * KB + 1)).toThrow('busy');
      expect(memory.take(caller, most * KB)).not.toBeNull();
      expect(() => memory.take(caller, 64 * KB)).toThrow('busy');
    }
  });

  test('leaves small answers alone', () => {
    const memory = new MemoryShares({ ...ANSWERS, all: 0, caller: 0 });
    expect(memory.take(one, 64 * KB - 1)).toBeNull();
  });
});

describe('A body in pieces', () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const body = () => new Blob(Array(5).fill(bytes)).stream();

  test('is the same body, and is released once', async () => {
    let ended = 0;
    const read = await new Response(inPieces(body(), () => ended++)).bytes();
    expect(Buffer.compare(read, Buffer.concat(Array(5).fill(bytes)))).toBe(0);
    expect(ended).toBe(1);
  });

  test('is not read ahead of its reader, and is released when the reader stops', async () => {
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

  test('fails as the body does', async () => {
    let ended = 0;
    const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('The disk is gone.')) });
    const reader = inPieces(broken, () => ended++).getReader();
    await expect(reader.read()).rejects.toThrow('The disk is gone.');
    expect(ended).toBe(1);
  });
});

/** A page of a hundred posts with this text has some 4 MB. */
const LONGEST = '😀'.repeat(MAX_LISTED_TEXT);

describe.each([
  ['REST', (id: string) => `/v1/workspaces/${id}/posts?per_page=100`],
  ['tRPC', (id: string) => `/trpc/posts.list?input=${JSON.stringify({ workspace: id, per_page: 100 })}`],
  [
    'a batch over tRPC',
    (id: string) => `/trpc/posts.list?batch=1&input=${JSON.stringify({ 0: { workspace: id, per_page: 100 } })}`,
  ],
])('Large answers over %s', (_, path) => {
  test('are refused to a client that has not read the earlier ones, until some are read or dropped', async () => {
    const { ports, workspace, send, tokenWith, reported } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    for (let n = 0; n < 100; n++) await addPost(ports, profile, { text: LONGEST });
    const ask = () => send('GET', path(workspace.id));
    const unread = [await ask(), await ask(), await ask(), await ask()];
    expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('Too many answers to this token have not been read yet.');
    // Other callers are served meanwhile.
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

describe('A streamed batch', () => {
  test.each([
    ['read to its end', async (response: Response) => (await response.text()).length],
    [
      'dropped in the middle',
      async (response: Response) => {
        const reader = response.body?.getReader();
        const { value } = (await reader?.read()) ?? {};
        await reader?.cancel();
        return value?.length;
      },
    ],
    ['dropped before it is read', async (response: Response) => response.body?.cancel()],
  ])('that was %s holds no memory', async (_, use) => {
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
