import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { serve, status } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { issue, upload } from '../presign/support/uploads.ts';
import { document, documentedSuccesses, expectDocumented, operations, seen } from '../support/contract.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { file, multipart } from '../support/multipart.ts';
import { at, makeReply, stringAt } from '../support/reply.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;
let origin: Origin;

beforeAll(async () => {
  seen.clear();
  [world, origin] = await Promise.all([
    // What fails once waits for longer than any test.
    World.open({ ...loopback, IMPORT_RETRY_DELAYS: '86400000', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }),
    Origin.open(),
  ]);
  world.ids.receiver = origin.page('hook', serve(new Uint8Array())).url;
  await world.operator();
  await world.token('media', '{workspace}', ['--scope', 'media:read']);
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
  world.ids.picture = origin.page('beach.png', serve(fixtures.png())).url;
  world.ids.film = origin.page('film.mp4', serve(fixtures.mp4())).url;
  world.ids.late = origin.page('late.mp4', status(503)).url;
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const library = '/workspaces/{workspace}/media_contents';
const folders = '/workspaces/{workspace}/media_library/folders';
const form = multipart([file('beach.png', fixtures.png())]);

const PICTURE = fixtures.png();
const tus = (headers: Readonly<Record<string, string>>) => ({ 'tus-resumable': '1.0.0', ...headers });

const fitting = {
  name: 'it is made to fit one',
  send: 'POST /media_contents/{media}/fit',
  json: { target: 'youtube.video', how: 'crop' },
  status: 202,
};

const operating = (...rows: readonly Row[]) => rows.map((row) => ({ ...row, token: 'operator' }));

const keepId =
  (name: string): NonNullable<Row['after']> =>
  ({ json }, { ids }) => {
    ids[name] = stringAt(json, 'data', 'id');
  };

// Every answer that goes through `World.call` is held to the document, in all suites. Here every operation is, and
// every success that the document promises.
describe('every success is as the document says', () => {
  table(
    () => world,
    [
      {
        name: 'a folder is made',
        send: `POST ${folders}`,
        json: { name: 'Summer', parent_id: null },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.folder = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shown', send: 'GET /media_library/folders/{folder}', status: 200 },
      { name: 'changed', send: 'PATCH /media_library/folders/{folder}', json: { name: 'Winter' }, status: 200 },
      { name: 'listed', send: `GET ${folders}?parent_id=root`, status: 200 },
      { name: 'deleted', send: 'DELETE /media_library/folders/{folder}', status: 204 },
      { name: 'a picture comes by URL', send: `POST ${library}`, json: { url: '{picture}' }, status: 201 },
      { name: 'a film by URL is put off', send: `POST ${library}`, json: { url: '{film}' }, status: 202 },
      {
        name: 'and one whose server has a pause',
        send: `POST ${library}`,
        json: { url: '{late}' },
        status: 202,
        after: ({ json }, { ids }) => {
          ids.job = `import:${stringAt(json, 'data', 0, 'id')}`;
        },
      },
      {
        name: 'a file is uploaded',
        before: async ({ ids }) => {
          ids.media = (await world.storeOne(file('film.mp4', fixtures.mp4()))).id;
        },
        send: 'GET /media_contents/{media}',
        status: 200,
      },
      {
        name: 'also under the entry that has the form alone',
        send: `POST ${library}#files`,
        headers: { 'content-type': form.contentType },
        body: form.bytes,
        status: 201,
      },
      { name: 'networks are listed', send: 'GET /networks', status: 200 },
      { name: 'an item is checked for them', send: 'GET /media_contents/{media}/readiness', status: 200 },
      {
        name: 'and a set',
        send: 'POST /workspaces/{workspace}/readiness',
        json: { media_content_ids: ['{media}'] },
        status: 200,
      },
      {
        name: 'its link is signed',
        send: 'POST /media_contents/{media}/links',
        json: { expires_in: 60 },
        status: 201,
      },
      {
        name: 'and fetched as networks do',
        send: 'POST /media_contents/{media}/fetch_check',
        json: { targets: ['x.post', 'tiktok.post'] },
        status: 200,
      },
      {
        name: 'and those of a page',
        send: 'POST /workspaces/{workspace}/links',
        json: { ids: ['{media}'], expires_in: 60 },
        status: 200,
      },
      {
        name: 'it is offered in a ZIP file',
        send: `POST ${library}/zip`,
        json: { ids: ['{media}'] },
        status: 201,
      },
      { name: 'signed links are ended', send: 'POST /workspaces/{workspace}/rotate_link_key', status: 204 },
      ...(hasFfmpeg ? [fitting] : []),
      { name: 'the library is listed', send: `GET ${library}?per_page=2&type=video`, status: 200 },
      { name: 'an item is changed', send: 'PATCH /media_contents/{media}', json: { label: 'Dusk' }, status: 200 },
      {
        name: 'with others',
        send: `POST ${library}/batch`,
        json: { ids: ['{media}', 'x'], action: 'tag', tags: ['2026'] },
        status: 200,
      },
      { name: 'deleted', send: 'DELETE /media_contents/{media}', status: 204 },
      { name: 'the trash is listed', send: 'GET /workspaces/{workspace}/trash', status: 200 },
      { name: 'an item in it is shown', send: 'GET /trash/{media}/preview', status: 200 },
      { name: 'and restored from', send: 'POST /trash/{media}/restore', status: 200 },
      { name: 'deleted again', send: 'DELETE /media_contents/{media}', status: 204 },
      { name: 'for good', send: 'DELETE /trash/{media}', status: 204 },
      { name: 'the trash is emptied', send: 'DELETE /workspaces/{workspace}/trash', status: 202 },
      {
        name: 'an upload is announced',
        send: `POST ${library}/presign`,
        json: { files: [{ name: 'beach.png', size: 1000, mime: 'image/png' }] },
        status: 201,
      },
      {
        name: 'and confirmed',
        before: async ({ ids }) => {
          const issued = await issue(world, fixtures.jpeg());
          await upload(issued, fixtures.jpeg());
          ids.issued = issued.id;
        },
        send: 'POST /media_contents/{issued}/confirm',
        status: 200,
      },
      {
        name: 'a resumable upload is begun',
        send: 'POST /workspaces/{workspace}/uploads',
        headers: tus({ 'upload-length': String(PICTURE.length), 'upload-metadata': 'filename YmVhY2gucG5n' }),
        status: 201,
        after: ({ headers }, { ids }) => {
          ids.upload = headers.get('location')?.split('/').at(-1) ?? '';
        },
      },
      {
        name: 'and gets its bytes',
        send: 'PATCH /uploads/{upload}',
        headers: tus({ 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }),
        body: PICTURE,
        status: 204,
      },
      { name: 'and is ended', send: 'DELETE /uploads/{upload}', headers: tus({}), status: 204 },
      {
        name: 'a profile is made',
        send: 'POST /workspaces/{workspace}/profiles',
        json: { name: 'Beach club', network: 'instagram' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.profile = stringAt(json, 'data', 'id');
        },
      },
      { name: 'profiles are listed', send: 'GET /workspaces/{workspace}/profiles', status: 200 },
      {
        name: 'a post is made',
        send: 'POST /workspaces/{workspace}/posts',
        json: { profile: '{profile}', published_at: '2026-01-31T18:30:00Z', metrics: { likes: 3 } },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.post = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shown', send: 'GET /posts/{post}', status: 200 },
      { name: 'changed', send: 'PATCH /posts/{post}', json: { text: 'Sun', metrics: null }, status: 200 },
      { name: 'measured', send: 'PUT /posts/{post}/metrics', json: { likes: 5 }, status: 200 },
      { name: 'listed', send: 'GET /workspaces/{workspace}/posts?profile={profile}', status: 200 },
      {
        name: 'posts are imported',
        send: 'POST /workspaces/{workspace}/posts/import',
        headers: { 'content-type': 'application/x-ndjson' },
        body: 'no JSON\n',
        status: 200,
      },
      { name: 'best times are told', send: 'GET /analytics/best_times?profile={profile}&from=2026-01-01', status: 200 },
      { name: 'slots are told', send: 'GET /analytics/best_times/slots?profile={profile}', status: 200 },
      {
        name: 'a calendar is made',
        send: 'POST /workspaces/{workspace}/calendars',
        json: { profile: '{profile}', exclude: 'Sunday' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.calendar = stringAt(json, 'data', 'id');
        },
      },
      { name: 'listed', send: 'GET /workspaces/{workspace}/calendars', status: 200 },
      { name: 'deleted', send: 'DELETE /calendars/{calendar}', status: 204 },
      { name: 'events are told', send: 'GET /workspaces/{workspace}/events?types=media.active', status: 200 },
      {
        name: 'a webhook is made',
        send: 'POST /workspaces/{workspace}/webhooks',
        json: { url: '{receiver}', types: ['media.active'] },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.webhook = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shown', send: 'GET /webhooks/{webhook}', status: 200 },
      { name: 'listed', send: 'GET /workspaces/{workspace}/webhooks?per_page=1', status: 200 },
      { name: 'changed', send: 'PATCH /webhooks/{webhook}', json: { types: null }, status: 200 },
      { name: 'its secret is rotated', send: 'POST /webhooks/{webhook}/rotate_secret', status: 200 },
      {
        name: 'it is tested',
        send: 'POST /webhooks/{webhook}/test',
        status: 202,
        after: ({ json }, { ids }) => {
          ids.delivery = stringAt(json, 'data', 'id');
        },
      },
      { name: 'its deliveries are listed', send: 'GET /webhooks/{webhook}/deliveries', status: 200 },
      { name: 'one is repeated', send: 'POST /webhook_deliveries/{delivery}/redeliver', status: 202 },
      { name: 'it is deleted', send: 'DELETE /webhooks/{webhook}', status: 204 },
      {
        name: 'a person is invited',
        send: 'POST /workspaces/{workspace}/people',
        json: { name: 'Ada', role: 'editor' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.person = stringAt(json, 'data', 'id');
        },
      },
      { name: 'people are listed', send: 'GET /workspaces/{workspace}/people', status: 200 },
      { name: 'the person is changed', send: 'PATCH /people/{person}', json: { role: 'viewer' }, status: 200 },
      { name: 'invited again', send: 'POST /people/{person}/invite', status: 201 },
      { name: 'signed out', send: 'DELETE /people/{person}/sessions', status: 204 },
      { name: 'and removed', send: 'DELETE /people/{person}', status: 204 },
      { name: 'tags are listed', send: 'GET /workspaces/{workspace}/tags?per_page=2', status: 200 },
      { name: 'the usage is shown', send: 'GET /workspaces/{workspace}/usage', status: 200 },
      { name: 'the caller is shown', send: 'GET /me', status: 200 },
      {
        name: 'a browser signs in',
        before: ({ ids, tokens }) => {
          ids.token = String(tokens.all);
          ids.origin = new URL(world.server.url).origin;
        },
        send: 'POST /sessions',
        headers: { origin: '{origin}' },
        json: { token: '{token}' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.session = stringAt(json, 'data', 'id');
        },
      },
      { name: 'sessions are listed', send: 'GET /sessions', status: 200 },
      { name: 'one is ended', send: 'DELETE /sessions/{session}', status: 204 },
      { name: 'a post is deleted', send: 'DELETE /posts/{post}', status: 204 },
      { name: 'a profile is shown', send: 'GET /profiles/{profile}', status: 200 },
      { name: 'a profile is changed', send: 'PATCH /profiles/{profile}', json: { name: 'Bar' }, status: 200 },
      { name: 'a profile is deleted', send: 'DELETE /profiles/{profile}?with_posts=true', status: 204 },
      ...operating(
        {
          name: 'a workspace is made',
          send: 'POST /workspaces',
          json: { name: 'Inn' },
          status: 201,
          after: keepId('inn'),
        },
        { name: 'workspaces are listed', send: 'GET /workspaces', status: 200 },
        { name: 'a workspace is shown', send: 'GET /workspaces/{inn}', status: 200 },
        { name: 'a workspace is changed', send: 'PATCH /workspaces/{inn}', json: { name: 'Pub' }, status: 200 },
        {
          name: 'a token is made',
          send: 'POST /tokens',
          json: { name: 'picker', workspaces: ['{inn}'], scopes: ['media:read'] },
          status: 201,
          after: keepId('token'),
        },
        { name: 'tokens are listed', send: 'GET /tokens?name=picker', status: 200 },
        { name: 'a token is rotated', send: 'POST /tokens/{token}/rotate', json: { overlap: 60 }, status: 201 },
        { name: 'a token is revoked', send: 'DELETE /tokens/{token}', status: 204 },
        { name: 'a workspace is deleted', send: 'DELETE /workspaces/{inn}', status: 202 },
        { name: 'jobs are listed', send: 'GET /jobs?kind=import', status: 200 },
        { name: 'one is tried at once', send: 'POST /jobs/{job}/retry', status: 202 },
        { name: 'and cancelled', send: 'DELETE /jobs/{job}', status: 204 },
        { name: 'what was done is listed', send: 'GET /audit?per_page=1', status: 200 },
      ),
    ],
  );

  test('and none is left out', () => {
    expect(documentedSuccesses.length).toBeGreaterThan(10);
    const possible = documentedSuccesses.filter((success) => hasFfmpeg || !success.includes('/fit'));
    expect([...seen]).toEqual(expect.arrayContaining(possible));
  });

  // Here, as this is where every operation has succeeded.
  test('and leaves an entry in the audit log, if it changes something', async () => {
    const headers = { authorization: `Bearer ${world.tokens.operator}`, accept: 'application/x-ndjson' };
    // Each server writes its own after a moment.
    await Bun.sleep(500);
    const text = await (await fetch(`${world.server.url}/v1/audit`, { headers })).text();
    const lines: unknown[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const actions = new Set(lines.filter((line) => at(line, 'token') !== null).map((line) => stringAt(line, 'action')));
    const idOf = (action: string) => action.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase());
    const changing = operations
      .filter(({ method, place }) => method !== 'get' && (hasFfmpeg || !place.endsWith('/fit')))
      .map(({ path, method }) => stringAt(document, 'paths', path, method, 'operationId'));
    const onlyRead = ['readinessSet', 'linksCreate', 'linksCreateMany', 'linksCheck'];
    expect(Array.from(actions, idOf).sort()).toEqual(changing.filter((id) => !onlyRead.includes(id)).sort());
  });
});

describe.each(operations.map((operation) => [operation.place, operation] as const))(
  '%s',
  (place, { path, scope, isOpen }) => {
    const send = place.replace(/\{\w+\}/g, '{unknown}');

    test('answers 401 without a token, or 403 to pages of other origins where it needs none', async () => {
      const refusal = path.startsWith('/sessions/oidc') ? 404 : 403;
      expect((await world.call(send, { token: null })).status).toBe(isOpen ? refusal : 401);
    });

    if (scope !== null) {
      test('needs the documented scope', async () => {
        const reply = await world.call(send, { token: scope === 'media:read' ? 'folders' : 'media' });
        expect({ status: reply.status, message: at(reply.json, 'message') }).toEqual({
          status: 403,
          message: `The scope ${scope} is missing.`,
        });
      });
    }

    if (!path.includes('{')) return;
    test('finds nothing under an unknown id', async () => {
      expect((await world.call(send, { token: scope === 'operator' ? scope : 'all' })).status).toBe(404);
    });
  },
);

describe('what is not as the document says fails the test that meets it', () => {
  const headers = new Headers({
    'content-type': 'application/json',
    'x-request-id': '01890000-0000-7000-8000-000000000000',
  });
  const folder = { id: '01890000-0000-7000-8000-000000000000', name: 'Summer', parent_id: null };
  const check = (status: number, body: unknown, target = '/media_library/folders/x', sent = headers) =>
    expectDocumented('GET', target, makeReply(status, sent, new TextEncoder().encode(JSON.stringify(body))));

  test('a valid answer passes', () => {
    check(200, { data: folder });
    check(404, { message: 'Not found.' });
    check(200, 'anything', '/no/operation');
  });

  const wrong: readonly [string, number, unknown][] = [
    ['a field too few', 200, { data: { id: folder.id, name: folder.name } }],
    ['a field too many', 200, { data: { ...folder, is_system: false } }],
    ['a field of another type', 200, { data: { ...folder, parent_id: 1 } }],
    ['an id that is none', 200, { data: { ...folder, id: 'x' } }],
    ['another envelope', 200, folder],
    ['a status that is not promised', 418, { message: 'Teapot.' }],
    ['an error with a code', 404, { message: 'Not found.', code: 'NOT_FOUND' }],
  ];
  for (const [name, status, body] of wrong) test(name, () => expect(() => check(status, body)).toThrow());

  test('another content type, or none; no request id', () => {
    const html = new Headers(headers);
    html.set('content-type', 'text/html');
    expect(() => check(200, { data: folder }, undefined, html)).toThrow('text/html');
    expect(() => check(200, { data: folder }, undefined, new Headers())).toThrow('X-Request-Id');
  });
});
