import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gate, serve, serveGated, status } from '../imports/support/answers.ts';
import { accepted, importUrl, itemCount, loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { freePort } from '../support/server.ts';
import { mediaItem, uuid } from '../support/shapes.ts';
import { World } from '../support/world.ts';
import { CuttingProxy, FailingProxy, LossyProxy } from './support/faulty-proxies.ts';
import { Installed, runtimes } from './support/installed.ts';
import { expectProgress } from './support/progress.ts';

const megabyte = 2 ** 20;
/** The size of a video that is sent repeatedly without being held in memory. */
const movieSize = sized(150, 190) * megabyte;
/** The size of a video that `upload` sends in pieces. */
const longSize = 24 * megabyte;
let world: World;
let origin: Origin;
let installed: Installed;
let files: { jpeg: string; mp4: string; long: string; movie: string; big: string };

beforeAll(async () => {
  [world, origin, installed] = await Promise.all([World.open(loopback), Origin.open(), Installed.open()]);
  await world.token('reader', '{workspace}', ['--scope', 'folders:read']);
  files = {
    jpeg: installed.file('beach.jpg', fixtures.jpeg()),
    mp4: installed.file('opening.mp4', fixtures.mp4()),
    long: installed.movie('long.mp4', longSize),
    movie: installed.movie('movie.mp4', movieSize),
    big: installed.movie('big.mp4', 201 * megabyte),
  };
});

afterAll(async () => {
  installed.close();
  origin.close();
  await world.close();
});

/** A failure as the client reports it, in the same form for REST, tRPC and the storage. */
const refused = (code: number, message: unknown = expect.any(String), errors: object = {}) => ({
  isPostshelfError: true,
  name: 'PostshelfError',
  code: 'refused',
  status: code,
  message,
  errors,
  requestId: expect.stringMatching(uuid),
});

const without = (code: string, message: unknown, cause?: unknown) => ({
  isPostshelfError: true,
  name: 'PostshelfError',
  code,
  status: 0,
  message,
  errors: {},
  requestId: null,
  ...(cause !== undefined && { cause }),
});

for (const [runtime, command] of Object.entries(runtimes)) {
  const run = (name: string, given: object = {}) => installed.scenario(command, name, world, { ...files, ...given });

  describe(`the published client under ${runtime}`, () => {
    test('upload() sends several files from any iterable, with fields and progress', async () => {
      const folder = await world.folder(`Uploads by ${runtime}`);
      const { items, reports, alone, count } = await run('upload', { name: 'Strand "1"\r\n; ü.jpg', folder });
      // Quotes in a name are kept, and line breaks are never part of a name.
      expect(items).toMatchObject([
        { name: 'Strand "1"; ü.jpg', size: fixtures.jpeg().length, time: null },
        { name: 'film.mp4', size: fixtures.mp4().length, time: 2 },
      ]);
      for (const item of items as unknown[]) {
        expect(mediaItem(item)).toMatchObject({ status: 'active', folder_id: folder, label: 'Søk "ø"\r\n--x' });
      }
      expectProgress(reports, fixtures.jpeg().length + fixtures.mp4().length);
      expect(count).toBe(10);
      // The name of a file that Bun opens is its path, of which the client sends the last segment. A file that Node
      // opens has no name, so the item gets a default name.
      expect(alone).toMatchObject({ name: runtime === 'Bun' ? 'beach.jpg' : 'file.jpg', label: null, folder_id: null });
    });

    test('uploadResumable() continues after a broken connection, and in a later call after an abort', async () => {
      const cutting = await CuttingProxy.open(world.server.url, longSize / 3);
      try {
        const result = await run('uploadResumable', { cutting: cutting.url });
        expect(mediaItem(result.item)).toMatchObject({ status: 'active', size: longSize, label: 'Søk' });
        expect(cutting.connections).toBeGreaterThan(2);
        expect(result.begun).toMatchObject({ code: 'aborted' });
        expect(result.remembered).toEqual([mediaItem(result.again).id]);
        expect(Number(result.first)).toBeGreaterThan(0);
        expect(result.left).toBe(0);
        expect(result.refused).toEqual(refused(422, expect.any(String), { file: [expect.any(String)] }));
        expect(mediaItem(result.large)).toMatchObject({ status: 'active', size: longSize });
      } finally {
        cutting.close();
      }
    });

    test('uploadPresigned() presigns, sends and confirms a file, and can be repeated', async () => {
      const { item, reports, typed, again } = await run('uploadPresigned');
      const { id } = mediaItem(item);
      // The call is repeated, as if its answer had been lost. It returns the same item, and doesn't send the file
      // again.
      expect(again).toEqual({ ids: [id, id, id], sent: 0 });
      expect(mediaItem(item)).toMatchObject({ status: 'active', name: 'film.mp4', size: fixtures.mp4().length });
      expectProgress(reports, fixtures.mp4().length);
      expect(mediaItem(typed)).toMatchObject({ status: 'active', name: 'x.jpg' });
    });

    test('reports a refusal with the same fields over REST, over tRPC and from the storage', async () => {
      const result = await run('refusals', { reader: world.tokens.reader });
      expect(result.uploadOfText).toEqual(
        refused(422, expect.stringContaining('(and 1 more error)'), {
          'files.0': [expect.any(String)],
          folder_id: [expect.any(String)],
        }),
      );
      expect(result.uploadOfNothing).toEqual(
        refused(422, 'The files field is required.', { files: [expect.any(String)] }),
      );
      expect(result.uploadTooLarge).toEqual(refused(413, expect.stringContaining('presign')));
      for (const key of ['uploadUnauthenticated', 'trpcUnauthenticated']) {
        expect(result[key]).toEqual(refused(401, 'Unauthenticated.'));
      }
      expect(result.uploadForbidden).toEqual(refused(403, 'The scope media:write is missing.'));
      expect(result.trpcForbidden).toEqual(refused(403, 'The scope folders:write is missing.'));
      for (const key of ['uploadNowhere', 'trpcNotFound', 'waitForNothing']) {
        expect(result[key]).toEqual(refused(404, 'Not found.'));
      }
      expect(result.trpcInvalid).toEqual(
        refused(422, expect.any(String), { name: [expect.any(String)], parent_id: [expect.any(String)] }),
      );
      expect(result.trpcTooLarge).toEqual(refused(413, 'The request body must not be larger than 1 MB.'));
      expect(result.batch).toEqual([refused(404, 'Not found.'), 1]);
      expect(result.presignOfText).toEqual(refused(422, expect.any(String), { 'files.0.mime': [expect.any(String)] }));
      expect(result.presignOfWrongBytes).toEqual(refused(422, expect.any(String), { file: [expect.any(String)] }));
      expect(result.importOfNothing).toEqual(refused(422, expect.any(String), { url: [expect.any(String)] }));
    });

    test("reports an unreachable server with the runtime's error as cause", async () => {
      const result = await run('unreachable', { url: `http://127.0.0.1:${await freePort()}`, repeats: 0 });
      for (const key of ['rest', 'query', 'mutation']) {
        expect(result[key]).toEqual(
          without('unreachable', 'The service could not be reached.', expect.stringContaining('Error')),
        );
      }
    });

    test('ends an aborted call immediately, and stores nothing', async () => {
      const before = await itemCount(world);
      const result = await run('aborts');
      const enough = without('aborted', 'The call was aborted.', 'RangeError: Enough.');
      expect(result.upload).toEqual(enough);
      expect(result.presigned).toEqual(enough);
      expect(result.before).toMatchObject({ code: 'aborted' });
      expect(result.queries).toEqual([expect.objectContaining({ code: 'aborted' }), 1]);
      // The presigned upload has left an item whose file was never sent. The service removes this item later.
      expect(await itemCount(world)).toBe(before + 1);
    });

    test('repeats a call whose answer was lost with the same idempotency key', async () => {
      const names = ['created', 'uploaded', 'own', 'none', 'never'] as const;
      const losses = await Promise.all(names.map(() => LossyProxy.open(world.server.url)));
      const before = await itemCount(world);
      try {
        const urls = Object.fromEntries(names.map((name, index) => [name, losses[index]?.url]));
        const result = await run('repeats', { urls, name: `Repeated by ${runtime}` });
        expect(result).toMatchObject({ created: `Repeated by ${runtime}`, uploaded: 1 });
        // `created` has already created a folder of this name with a different key, so this call is refused.
        expect(result.own).toEqual(refused(422, expect.any(String), { name: [expect.any(String)] }));
        for (const name of ['none', 'never']) expect(result[name]).toMatchObject({ code: 'unreachable' });
        const keys = losses.map((each) => each.keys);
        expect(keys.map((each) => [each.length, new Set(each).size])).toEqual([
          [3, 1],
          [3, 1],
          [3, 1],
          [1, 1],
          [1, 1],
        ]);
        expect([keys[2]?.[0], keys[3]?.[0]]).toEqual(['a-key-of-my-own', null]);
        expect(new Set(keys.map(([key]) => key)).size).toBe(5);
        expect(await itemCount(world)).toBe(before + 1);
      } finally {
        for (const each of losses) each.close();
      }
    });

    test('sends files without holding them in memory', async () => {
      const result = await run('memory');
      expect(result.sizes).toEqual([movieSize, movieSize]);
      expect(Number(result.megabytes)).toBeLessThan(120);
    });

    // The following tests don't depend on the runtime.
    if (!sized(runtime === 'Node 20', true)) return;

    test('calls procedures of the tRPC router separately and in a batch', async () => {
      const result = await run('trpc', { name: `By ${runtime}` });
      expect(result.created).toEqual({
        data: { id: expect.stringMatching(uuid), name: `By ${runtime}`, parent_id: null },
        message: expect.any(String),
        version: 1,
      });
      expect(result.folders).toMatchObject({
        data: [{ name: `By ${runtime}`, is_system: false }],
        meta: { current_page: 1, per_page: 1 },
        links: { prev: null },
      });
      expect(result.kinds).toEqual([
        expect.stringMatching(/media_library\/folders$/),
        expect.stringMatching(/media_contents$/),
      ]);
      expect(result.deleted).toBeNull();
    });

    test('returns an existing file from each way of uploading, and reports a wrong hash', async () => {
      const address = origin.page('duplicate.mp4', serve(fixtures.mp4())).url;
      const sha256 = new Bun.CryptoHasher('sha256').update(fixtures.mp4()).digest('hex');
      const { first, others, imported, wrong } = await run('duplicates', { address, sha256 });
      expect((others as unknown[]).map((item) => mediaItem(item).id)).toEqual(Array(4).fill(mediaItem(first).id));
      expect(mediaItem(imported).id).not.toBe(mediaItem(first).id);
      expect(wrong).toEqual(refused(422, expect.any(String), { 'files.1': [expect.any(String)] }));
    });

    test('importUrl() and waitUntilReady() return active items, and report failed ones', async () => {
      const folder = await world.folder(`Imports by ${runtime}`);
      const mp4 = fixtures.mp4();
      const video = origin.page('clip.mp4', serve(mp4));
      const missing = origin.page('missing.mp4', status(404));
      const image = origin.page('beach.jpg', serve(fixtures.jpeg()));
      const result = await run('imports', { image: image.url, video: video.url, missing: missing.url, folder });
      expect(mediaItem(result.image)).toMatchObject({ status: 'active', name: 'Imported.jpg', label: 'By URL' });
      expect(mediaItem(result.video)).toMatchObject({ status: 'processing', folder_id: folder });
      expect(mediaItem(result.ready)).toMatchObject({ status: 'active', size: mp4.length, folder_id: folder });
      expect(result.failed).toEqual(without('failed', expect.stringMatching(/^[A-Z].*404.*\.$/)));
    });

    test('waitUntilReady() ends after its timeout or an abort', async () => {
      const closed = gate();
      // The origin sends all but the last byte, so that the service answers the request but can't finish the import.
      const video = Buffer.concat([fixtures.mp4(), Buffer.alloc(megabyte)]);
      const page = origin.page('slow.mp4', serveGated(video, video.length - 1, closed));
      const { id } = accepted(await importUrl(world, page.url));
      const result = await run('waiting', { id });
      closed.open();
      expect(result.timedOut).toEqual(without('timeout', 'The media item was not ready after 600 ms.'));
      expect(result.left).toEqual(without('aborted', 'The call was aborted.', 'RangeError: Enough.'));
      expect(result.gone).toEqual(without('aborted', 'The call was aborted.', expect.stringContaining('AbortError')));
      expect(result.noTime).toMatchObject({ code: 'timeout' });
    });

    test('waitUntilReady() tolerates four 503 responses in a row, but not five', async () => {
      const { id } = await world.storeOne({ name: 'files[]', value: fixtures.jpeg(), filename: 'a.jpg' });
      const trouble = FailingProxy.open(world.server.url, 4);
      try {
        const { item } = await run('waitThroughTrouble', { url: trouble.url, id });
        expect(item).toMatchObject({ id, status: 'active' });
        expect(trouble.requests).toBe(5);
      } finally {
        trouble.close();
      }
      const more = FailingProxy.open(world.server.url, 5);
      try {
        const { error } = await run('waitInVain', { url: more.url, id });
        expect(error).toMatchObject({
          code: 'refused',
          status: 503,
          message: 'The request was answered with the status 503.',
        });
        expect(more.requests).toBe(5);
      } finally {
        more.close();
      }
    });

    test('pages() starts at any page and fetches only the pages that are consumed', async () => {
      const folder = await world.folder(`Pages by ${runtime}`);
      for (const name of ['a', 'b', 'c', 'd', 'e']) await world.folder(name, folder);
      const result = await run('pages', { folder });
      expect(result).toMatchObject({
        seen: [
          { page: 1, names: ['e', 'd'] },
          { page: 2, names: ['c', 'b'] },
          { page: 3, names: ['a'] },
        ],
        rest: [2, 3],
        first: [1],
        empty: [],
        refused: refused(422, 'The page field must be at least 1.', { page: ['The page field must be at least 1.'] }),
      });
    });

    test('reports the response of a server that is not Postshelf', async () => {
      const page = (code: number) =>
        Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<h1>Hello</h1>', { status: code }) });
      const [hello, gateway] = [page(200), page(502)];
      try {
        const wrong = await run('unreadable', { url: String(hello.url), repeats: 0 });
        const behind = await run('unreadable', { url: String(gateway.url), repeats: 0 });
        for (const key of ['rest', 'query', 'mutation']) {
          expect(wrong[key]).toMatchObject({ isPostshelfError: true, code: 'unreadable', status: 200 });
          expect(behind[key]).toMatchObject({ isPostshelfError: true, code: 'refused', status: 502, errors: {} });
        }
      } finally {
        await Promise.all([hello.stop(true), gateway.stop(true)]);
      }
    });

    test('calls the token function before each request, and reports its failure', async () => {
      const result = await run('tokens');
      expect(result.asked).toBe(3);
      const noToken = without('no_token', 'The token function failed.', 'RangeError: The drawer is empty.');
      expect(result.rest).toEqual(noToken);
      expect(result.trpc).toEqual(noToken);
      expect(result.baseUrl).toMatchObject({ name: 'TypeError' });
    });
  });
}
