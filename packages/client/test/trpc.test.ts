import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createPostshelfClient } from '../src/index.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  /** The search of each call. */
  readonly searches: unknown[];
}

const page = { data: [], meta: { total: 0 } };

let asked: Asked[];
let server: Bun.Server<undefined>;

beforeEach(() => {
  asked = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ method, url, headers }) {
      const { pathname, searchParams } = new URL(url);
      const input = JSON.parse(searchParams.get('input') ?? '{}');
      const isBatch = searchParams.get('batch') === '1';
      const calls: { search?: unknown }[] = isBatch ? Object.values(input) : [input];
      const key = headers.get('idempotency-key');
      asked.push({ method, path: pathname, key, searches: calls.map(({ search }) => search) });
      const answers = calls.map(() => ({ result: { data: page } }));
      return Response.json(isBatch ? answers : answers[0]);
    },
  });
});

afterEach(() => server.stop(true));

describe('queries', () => {
  const search = (text: string) => {
    const { trpc } = createPostshelfClient({ baseUrl: server.url, token: 'a', repeats: 0 });
    return trpc.media.list.query({ workspace: 'w', search: text });
  };
  const one = { method: 'GET', path: '/trpc/media.list', key: null };

  test('of any length are sent, alone if they are too long for a batch', async () => {
    const caption = '海'.repeat(250);
    expect(await search(caption)).toEqual(page as never);
    expect(asked).toEqual([{ ...one, searches: [caption] }]);
  });

  test('share a request if they fit into it', async () => {
    const { trpc } = createPostshelfClient({ baseUrl: server.url, token: 'a', repeats: 0 });
    const found = ['sea', '海'.repeat(250), 'sun'].map((text) =>
      trpc.media.list.query({ workspace: 'w', search: text }),
    );
    expect(await Promise.all(found)).toEqual([page, page, page] as never);
    expect(asked.toSorted((a, b) => a.path.length - b.path.length)).toEqual([
      { ...one, searches: ['海'.repeat(250)] },
      { ...one, path: '/trpc/media.list,media.list', searches: ['sea', 'sun'] },
    ]);
  });

  test('with URLs around the limit of a batch are sent', async () => {
    const texts = Array.from({ length: 200 }, (_, more) => 'x'.repeat(1800 + more));
    for (const text of texts) expect(await search(text)).toEqual(page as never);
    expect(asked.map(({ searches }) => searches[0])).toEqual(texts);
  });
});
