// These tests follow a request by its id through the logs of all processes.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { serve, status } from '../imports/support/answers.ts';
import { megabyte, movie } from '../imports/support/files.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { startWorker, withoutWorker } from '../imports/support/processes.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { until } from '../support/until.ts';
import { type CallOptions, World } from '../support/world.ts';
import { type Line, lineWith } from './support/log.ts';

let world: World;
let origin: Origin;
beforeAll(async () => {
  [world, origin] = await Promise.all([World.openAlone(loopback), Origin.open()]);
});
afterAll(async () => {
  origin.close();
  await world.close();
});

const video = movie(2 * megabyte);

/** The lines of the JSON log that are about an item. */
const linesAbout = (log: string, media: string): Line[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(media))
    .map((line) => ({ ...Object(JSON.parse(line)) }));

test('a 202 response and its import are logged with the ids of the request and the item', async () => {
  const reply = await importUrl(world, origin.page('film.mp4', serve(video)).url);
  const { id: media } = accepted(reply);
  const id = reply.headers.get('x-request-id') ?? '';
  expect(await lineWith(world, { msg: 'request', id })).toMatchObject({ status: 202, media });
  expect((await settled(world, { id: media })).status).toBe('active');
  expect(await lineWith(world, { msg: 'job', kind: 'import', id })).toMatchObject({ media, outcome: 'active' });
});

test('an import that fails immediately is logged with the ids of the request and the item', async () => {
  const reply = await importUrl(world, origin.page('missing.mp4', status(404)).url);
  const { id: media } = accepted(reply);
  const id = reply.headers.get('x-request-id') ?? '';
  const wanted = { media, outcome: 'failed', field: 'url', code: 'failed' };
  expect(await lineWith(world, { msg: 'job', kind: 'import', id })).toMatchObject(wanted);
});

test('a failed import in another process is logged with the ids of request and item, the field and the code', () =>
  withoutWorker(async (alone) => {
    const reply = await importUrl(alone, origin.page('gone.mp4', status(503)).url);
    const { id: media } = accepted(reply);
    const id = reply.headers.get('x-request-id') ?? '';
    const worker = await startWorker(alone.server, { IMPORT_RETRY_DELAYS: '1' });
    try {
      expect((await settled(alone, { id: media })).status).toBe('failed');
      await until('the worker logs it', () => linesAbout(worker.log(), media).length > 0);
      expect(linesAbout(worker.log(), media).at(-1)).toMatchObject({
        msg: 'job',
        kind: 'import',
        id,
        media,
        outcome: 'failed',
        field: 'url',
        code: 'failed',
      });
    } finally {
      await worker.end();
    }
  }));

const library = '/v1/workspaces/{workspace}';
const stream = { accept: 'application/jsonl' };
const json = { 'content-type': 'application/json' };
const chunk = {
  'tus-resumable': '1.0.0',
  'upload-length': '4',
  'upload-metadata': 'filename YQ==',
  'upload-checksum': 'sha1 AAAA',
  'content-type': 'application/offset+octet-stream',
};

/** Requests that are refused without an operation, each in a different place, with their status and code in the log. */
const REFUSED: readonly ({ send: string; status: number; code: string } & CallOptions)[] = [
  { send: 'GET /trpc/me.get?batch=1', token: null, headers: stream, status: 401, code: 'unauthenticated' },
  { send: `GET /trpc/${'me.get,'.repeat(50)}me.get?batch=1`, status: 400, code: 'malformed' },
  { send: 'GET /trpc/nothing', status: 404, code: 'not_found' },
  { send: 'POST /trpc/me.get', json: {}, status: 405, code: 'method_not_allowed' },
  { send: 'POST /trpc/folders.create', headers: json, body: '{', status: 400, code: 'malformed' },
  { send: 'POST /trpc/folders.create', body: '{}', status: 415, code: 'unsupported_media_type' },
  { send: `POST ${library}/uploads`, status: 412, code: 'unsupported_version' },
  { send: `POST ${library}/uploads`, headers: chunk, body: 'abcd', status: 460, code: 'wrong_checksum' },
  { send: 'GET {file}', headers: { range: 'bytes=999999999-' }, status: 416, code: 'range_not_satisfiable' },
  { send: 'POST /mcp', json: { jsonrpc: '2.0', id: 1, method: 'tools/call' }, status: 200, code: 'malformed' },
];

test('a refused request is logged with its code and fields, over REST and over tRPC', async () => {
  const lineOf = (reply: { readonly headers: Headers }) =>
    lineWith(world, { msg: 'request', id: reply.headers.get('x-request-id') ?? '' });
  const wrong = await importUrl(world, 'ftp://files.example/x.jpg', { name: 7 });
  expect(wrong.status).toBe(422);
  expect(await lineOf(wrong)).toMatchObject({
    code: 'invalid',
    field: expect.stringMatching(/^(url,name|name,url)$/),
  });
  const refused = await importUrl(world, 'http://10.0.0.1/x.jpg');
  expect(await lineOf(refused)).toMatchObject({ status: 422, code: 'invalid', field: 'url' });
  const json = { workspace: '{workspace}', name: '' };
  expect(await lineOf(await world.call('POST /trpc/folders.create', { json }))).toMatchObject({
    status: 422,
    code: 'invalid',
    field: 'name',
  });
  const unknown = await world.call('GET /media_contents/{unknown}');
  expect(await lineOf(unknown)).toMatchObject({ status: 404, code: 'not_found' });
  const { link } = await world.storeOne(file('beach.jpg', jpeg()));
  world.ids.file = new URL(link).pathname;
  const logged: unknown[] = [];
  for (const { send, ...options } of REFUSED) {
    const { status, code } = await lineOf(await world.call(send, options));
    logged.push({ send, status, code });
  }
  expect(logged).toEqual(REFUSED.map(({ send, status, code }) => ({ send, status, code })));
  const fine = await lineOf(await world.call('GET /workspaces/{workspace}/media_contents'));
  expect(Object.keys(fine)).not.toContain('code');
});
