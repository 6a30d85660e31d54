import { describe, expect, test } from 'bun:test';
import { parseUuid, type StorageMark } from '@postshelf/domain';
import { connect } from '../../../src/s3/client/connection.ts';
import { s3Marker } from '../../../src/s3/library/storage-marker.ts';

const mark = (fence: string): StorageMark => ({
  library: parseUuid('01890a5d-ac96-774b-bcce-b302099a8057'),
  generation: 7,
  restoring: null,
  fence,
});

/** How stores without conditional writes answer a request with `If-Match`. */
const STORES = {
  'rejects conditional writes': () => new Response(NOT_IMPLEMENTED, { status: 501 }),
  'ignores write conditions': () => null,
} as const;

const NOT_IMPLEMENTED = '<Error><Code>NotImplemented</Code><Message>No such header.</Message></Error>';

const connectTo = ({ origin }: URL) =>
  connect({
    endpoint: origin,
    region: 'eu-central-1',
    bucket: 'media',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    forcePathStyle: true,
  });

/** Serves a fake store. @param beforeWrite awaited before each object is written */
function serve(answer: () => Response | null, beforeWrite: (body: string) => Promise<unknown> = async () => undefined) {
  let [stored, tag] = ['', 0];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text();
      if (request.method === 'PUT') {
        const refusal = request.headers.has('if-match') ? answer() : null;
        if (refusal !== null) return refusal;
        await beforeWrite(body);
        [stored, tag] = [body, tag + 1];
      }
      return new Response(request.method === 'GET' ? stored : null, { headers: { ETag: `"${tag}"` } });
    },
  });
  return { connection: () => connectTo(server.url), [Symbol.asyncDispose]: () => server.stop(true) };
}

describe.each(Object.entries(STORES))('the mark in a store that %s', (_, answer) => {
  test('is swapped only if it equals the expected mark', async () => {
    await using store = serve(answer);
    const marker = s3Marker(store.connection(), async () => undefined);
    await marker.write(mark('one'));
    expect(await marker.swap(mark('one'), mark('two'))).toBe(true);
    expect(await marker.swap(mark('one'), mark('three'))).toBe(false);
    expect(await marker.swap(mark('two'), mark('three'))).toBe(true);
    expect(await marker.read()).toEqual(mark('three'));
  });

  test('is swapped by only one of two callers, even if both have written', async () => {
    const [firstWrote, secondWrote, secondLooked] = [1, 2, 3].map(() => Promise.withResolvers<unknown>());
    await using store = serve(answer, async (body) => {
      // The second caller compares the mark before the first caller writes it, and then writes it after the first.
      if (body.includes('"first"')) await secondLooked?.promise;
      if (!body.includes('"second"')) return;
      secondLooked?.resolve(null);
      await firstWrote?.promise;
    });
    const first = s3Marker(store.connection(), () => {
      firstWrote?.resolve(null);
      return Promise.resolve(secondWrote?.promise);
    });
    const second = s3Marker(store.connection(), async () => secondWrote?.resolve(null));
    await first.write(mark('start'));
    const won = [first.swap(mark('start'), mark('first')), second.swap(mark('start'), mark('second'))];
    expect(await Promise.all(won)).toEqual([false, true]);
    expect(await first.read()).toEqual(mark('second'));
  });
});

test('the mark counts as created if the answer of the store was lost', async () => {
  let stored: string | null = null;
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method === 'GET') return new Response(stored, { headers: { ETag: '"tag"' } });
      if (stored !== null) return new Response(null, { status: 412 });
      stored = await request.text();
      return new Response(null, { status: 500 });
    },
  });
  const marker = s3Marker(connectTo(server.url));
  expect(await marker.create(mark('one'))).toBe(true);
  expect(await marker.create(mark('two'))).toBe(false);
  expect(await marker.read()).toEqual(mark('one'));
});
