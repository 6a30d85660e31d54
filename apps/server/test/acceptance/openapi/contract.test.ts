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
    // A failed import is retried only after a day, which is longer than any test.
    World.open({ ...loopback, IMPORT_RETRY_DELAYS: '86400000', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }),
    Origin.open(),
  ]);
  world.ids.receiver = origin.page('hook', serve(new Uint8Array())).url;
  await world.operator();
  await world.token('media', '{workspace}', ['--scope', 'media:read']);
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
  world.ids.picture = origin.page('beach.png', serve(fixtures.png())).url;
  world.ids.video = origin.page('film.mp4', serve(fixtures.mp4())).url;
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
  name: 'fits an item to a network',
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

// In all suites, `World.call` checks every answer against the document. These tests call every operation, and get every
// documented success response.
describe('the documented API', () => {
  table(
    () => world,
    [
      {
        name: 'creates a folder',
        send: `POST ${folders}`,
        json: { name: 'Summer', parent_id: null },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.folder = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shows a folder', send: 'GET /media_library/folders/{folder}', status: 200 },
      {
        name: 'updates a folder',
        send: 'PATCH /media_library/folders/{folder}',
        json: { name: 'Winter' },
        status: 200,
      },
      { name: 'lists folders', send: `GET ${folders}?parent_id=root`, status: 200 },
      { name: 'deletes a folder', send: 'DELETE /media_library/folders/{folder}', status: 204 },
      { name: 'imports an image by URL', send: `POST ${library}`, json: { url: '{picture}' }, status: 201 },
      {
        name: 'accepts a video by URL for a later import',
        send: `POST ${library}`,
        json: { url: '{video}' },
        status: 202,
      },
      {
        name: 'accepts an import whose server is unavailable',
        send: `POST ${library}`,
        json: { url: '{late}' },
        status: 202,
        after: ({ json }, { ids }) => {
          ids.job = `import:${stringAt(json, 'data', 0, 'id')}`;
        },
      },
      {
        name: 'shows an uploaded file',
        before: async ({ ids }) => {
          ids.media = (await world.storeOne(file('film.mp4', fixtures.mp4()))).id;
        },
        send: 'GET /media_contents/{media}',
        status: 200,
      },
      {
        name: 'accepts an upload under the entry for forms',
        send: `POST ${library}#files`,
        headers: { 'content-type': form.contentType },
        body: form.bytes,
        status: 201,
      },
      { name: 'lists networks', send: 'GET /networks', status: 200 },
      { name: 'checks an item for networks', send: 'GET /media_contents/{media}/readiness', status: 200 },
      {
        name: 'checks a set of items for networks',
        send: 'POST /workspaces/{workspace}/readiness',
        json: { media_content_ids: ['{media}'] },
        status: 200,
      },
      {
        name: 'signs the link of an item',
        send: 'POST /media_contents/{media}/links',
        json: { expires_in: 60 },
        status: 201,
      },
      {
        name: 'fetches an item as networks do',
        send: 'POST /media_contents/{media}/fetch_check',
        json: { targets: ['x.post', 'tiktok.post'] },
        status: 200,
      },
      {
        name: 'signs the links of several items',
        send: 'POST /workspaces/{workspace}/links',
        json: { ids: ['{media}'], expires_in: 60 },
        status: 200,
      },
      {
        name: 'offers an item in a ZIP file',
        send: `POST ${library}/zip`,
        json: { ids: ['{media}'] },
        status: 201,
      },
      { name: 'rotates the link key', send: 'POST /workspaces/{workspace}/rotate_link_key', status: 204 },
      ...(hasFfmpeg ? [fitting] : []),
      { name: 'lists the library', send: `GET ${library}?per_page=2&type=video`, status: 200 },
      { name: 'updates an item', send: 'PATCH /media_contents/{media}', json: { label: 'Dusk' }, status: 200 },
      {
        name: 'updates several items',
        send: `POST ${library}/batch`,
        json: { ids: ['{media}', 'x'], action: 'tag', tags: ['2026'] },
        status: 200,
      },
      { name: 'deletes an item', send: 'DELETE /media_contents/{media}', status: 204 },
      { name: 'lists the trash', send: 'GET /workspaces/{workspace}/trash', status: 200 },
      { name: 'shows the preview of an item in the trash', send: 'GET /trash/{media}/preview', status: 200 },
      { name: 'restores an item from the trash', send: 'POST /trash/{media}/restore', status: 200 },
      { name: 'deletes an item again', send: 'DELETE /media_contents/{media}', status: 204 },
      { name: 'deletes an item from the trash for good', send: 'DELETE /trash/{media}', status: 204 },
      { name: 'empties the trash', send: 'DELETE /workspaces/{workspace}/trash', status: 202 },
      {
        name: 'presigns an upload',
        send: `POST ${library}/presign`,
        json: { files: [{ name: 'beach.png', size: 1000, mime: 'image/png' }] },
        status: 201,
      },
      {
        name: 'confirms a presigned upload',
        before: async ({ ids }) => {
          const issued = await issue(world, fixtures.jpeg());
          await upload(issued, fixtures.jpeg());
          ids.issued = issued.id;
        },
        send: 'POST /media_contents/{issued}/confirm',
        status: 200,
      },
      {
        name: 'creates a resumable upload',
        send: 'POST /workspaces/{workspace}/uploads',
        headers: tus({ 'upload-length': String(PICTURE.length), 'upload-metadata': 'filename YmVhY2gucG5n' }),
        status: 201,
        after: ({ headers }, { ids }) => {
          ids.upload = headers.get('location')?.split('/').at(-1) ?? '';
        },
      },
      {
        name: 'appends bytes to a resumable upload',
        send: 'PATCH /uploads/{upload}',
        headers: tus({ 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }),
        body: PICTURE,
        status: 204,
      },
      { name: 'deletes a resumable upload', send: 'DELETE /uploads/{upload}', headers: tus({}), status: 204 },
      {
        name: 'creates a profile',
        send: 'POST /workspaces/{workspace}/profiles',
        json: { name: 'Beach club', network: 'instagram' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.profile = stringAt(json, 'data', 'id');
        },
      },
      { name: 'lists profiles', send: 'GET /workspaces/{workspace}/profiles', status: 200 },
      {
        name: 'creates a post',
        send: 'POST /workspaces/{workspace}/posts',
        json: { profile: '{profile}', published_at: '2026-01-31T18:30:00Z', metrics: { likes: 3 } },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.post = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shows a post', send: 'GET /posts/{post}', status: 200 },
      { name: 'updates a post', send: 'PATCH /posts/{post}', json: { text: 'Sun', metrics: null }, status: 200 },
      { name: 'sets the metrics of a post', send: 'PUT /posts/{post}/metrics', json: { likes: 5 }, status: 200 },
      { name: 'lists posts', send: 'GET /workspaces/{workspace}/posts?profile={profile}', status: 200 },
      {
        name: 'imports posts',
        send: 'POST /workspaces/{workspace}/posts/import',
        headers: { 'content-type': 'application/x-ndjson' },
        body: 'no JSON\n',
        status: 200,
      },
      { name: 'shows best times', send: 'GET /analytics/best_times?profile={profile}&from=2026-01-01', status: 200 },
      { name: 'suggests slots', send: 'GET /analytics/best_times/slots?profile={profile}', status: 200 },
      {
        name: 'creates a calendar',
        send: 'POST /workspaces/{workspace}/calendars',
        json: { profile: '{profile}', exclude: 'Sunday' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.calendar = stringAt(json, 'data', 'id');
        },
      },
      { name: 'lists calendars', send: 'GET /workspaces/{workspace}/calendars', status: 200 },
      { name: 'deletes a calendar', send: 'DELETE /calendars/{calendar}', status: 204 },
      { name: 'lists events', send: 'GET /workspaces/{workspace}/events?types=media.active', status: 200 },
      {
        name: 'creates a webhook',
        send: 'POST /workspaces/{workspace}/webhooks',
        json: { url: '{receiver}', types: ['media.active'] },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.webhook = stringAt(json, 'data', 'id');
        },
      },
      { name: 'shows a webhook', send: 'GET /webhooks/{webhook}', status: 200 },
      { name: 'lists webhooks', send: 'GET /workspaces/{workspace}/webhooks?per_page=1', status: 200 },
      { name: 'updates a webhook', send: 'PATCH /webhooks/{webhook}', json: { types: null }, status: 200 },
      { name: 'rotates the secret of a webhook', send: 'POST /webhooks/{webhook}/rotate_secret', status: 200 },
      {
        name: 'sends a test event to a webhook',
        send: 'POST /webhooks/{webhook}/test',
        status: 202,
        after: ({ json }, { ids }) => {
          ids.delivery = stringAt(json, 'data', 'id');
        },
      },
      { name: 'lists the deliveries of a webhook', send: 'GET /webhooks/{webhook}/deliveries', status: 200 },
      { name: 'repeats a delivery', send: 'POST /webhook_deliveries/{delivery}/redeliver', status: 202 },
      { name: 'deletes a webhook', send: 'DELETE /webhooks/{webhook}', status: 204 },
      {
        name: 'invites a person',
        send: 'POST /workspaces/{workspace}/people',
        json: { name: 'Ada', role: 'editor' },
        status: 201,
        after: ({ json }, { ids }) => {
          ids.person = stringAt(json, 'data', 'id');
        },
      },
      { name: 'lists people', send: 'GET /workspaces/{workspace}/people', status: 200 },
      { name: 'updates a person', send: 'PATCH /people/{person}', json: { role: 'viewer' }, status: 200 },
      { name: 'invites a person again', send: 'POST /people/{person}/invite', status: 201 },
      { name: 'signs a person out', send: 'DELETE /people/{person}/sessions', status: 204 },
      { name: 'removes a person', send: 'DELETE /people/{person}', status: 204 },
      { name: 'lists tags', send: 'GET /workspaces/{workspace}/tags?per_page=2', status: 200 },
      { name: 'shows the usage', send: 'GET /workspaces/{workspace}/usage', status: 200 },
      { name: 'shows the caller', send: 'GET /me', status: 200 },
      {
        name: 'signs a browser in',
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
      { name: 'lists sessions', send: 'GET /sessions', status: 200 },
      { name: 'ends a session', send: 'DELETE /sessions/{session}', status: 204 },
      { name: 'deletes a post', send: 'DELETE /posts/{post}', status: 204 },
      { name: 'shows a profile', send: 'GET /profiles/{profile}', status: 200 },
      { name: 'updates a profile', send: 'PATCH /profiles/{profile}', json: { name: 'Bar' }, status: 200 },
      { name: 'deletes a profile with its posts', send: 'DELETE /profiles/{profile}?with_posts=true', status: 204 },
      ...operating(
        {
          name: 'creates a workspace',
          send: 'POST /workspaces',
          json: { name: 'Inn' },
          status: 201,
          after: keepId('inn'),
        },
        { name: 'lists workspaces', send: 'GET /workspaces', status: 200 },
        { name: 'shows a workspace', send: 'GET /workspaces/{inn}', status: 200 },
        { name: 'updates a workspace', send: 'PATCH /workspaces/{inn}', json: { name: 'Pub' }, status: 200 },
        {
          name: 'creates a token',
          send: 'POST /tokens',
          json: { name: 'picker', workspaces: ['{inn}'], scopes: ['media:read'] },
          status: 201,
          after: keepId('token'),
        },
        { name: 'lists tokens', send: 'GET /tokens?name=picker', status: 200 },
        { name: 'rotates a token', send: 'POST /tokens/{token}/rotate', json: { overlap: 60 }, status: 201 },
        { name: 'revokes a token', send: 'DELETE /tokens/{token}', status: 204 },
        { name: 'deletes a workspace', send: 'DELETE /workspaces/{inn}', status: 202 },
        { name: 'lists jobs', send: 'GET /jobs?kind=import', status: 200 },
        { name: 'retries a job immediately', send: 'POST /jobs/{job}/retry', status: 202 },
        { name: 'cancels a job', send: 'DELETE /jobs/{job}', status: 204 },
        { name: 'lists the audit log', send: 'GET /audit?per_page=1', status: 200 },
      ),
    ],
  );

  test('has no success response that was not tested above', () => {
    expect(documentedSuccesses.length).toBeGreaterThan(10);
    const possible = documentedSuccesses.filter((success) => hasFfmpeg || !success.includes('/fit'));
    expect([...seen]).toEqual(expect.arrayContaining(possible));
  });

  // The next test belongs in this file, because every operation has succeeded above.
  test('writes an audit log entry for every operation that changes something', async () => {
    const headers = { authorization: `Bearer ${world.tokens.operator}`, accept: 'application/x-ndjson' };
    // Each server writes its entries to the audit log after a moment.
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

    test('answers 401 without a token, or 403 to other origins if it needs no token', async () => {
      const refusal = path.startsWith('/sessions/oidc') ? 404 : 403;
      expect((await world.call(send, { token: null })).status).toBe(isOpen ? refusal : 401);
    });

    if (scope !== null) {
      test('requires the documented scope', async () => {
        const reply = await world.call(send, { token: scope === 'media:read' ? 'folders' : 'media' });
        expect({ status: reply.status, message: at(reply.json, 'message') }).toEqual({
          status: 403,
          message: `The scope ${scope} is missing.`,
        });
      });
    }

    if (!path.includes('{')) return;
    test('answers 404 for an unknown id', async () => {
      expect((await world.call(send, { token: scope === 'operator' ? scope : 'all' })).status).toBe(404);
    });
  },
);

describe('the check of answers against the document', () => {
  const headers = new Headers({
    'content-type': 'application/json',
    'x-request-id': '01890000-0000-7000-8000-000000000000',
  });
  const folder = { id: '01890000-0000-7000-8000-000000000000', name: 'Summer', parent_id: null };
  const check = (status: number, body: unknown, target = '/media_library/folders/x', sent = headers) =>
    expectDocumented('GET', target, makeReply(status, sent, new TextEncoder().encode(JSON.stringify(body))));

  test('accepts valid answers', () => {
    check(200, { data: folder });
    check(404, { message: 'Not found.' });
    check(200, 'anything', '/no/operation');
  });

  const wrong: readonly [string, number, unknown][] = [
    ['a missing field', 200, { data: { id: folder.id, name: folder.name } }],
    ['an additional field', 200, { data: { ...folder, is_system: false } }],
    ['a field of the wrong type', 200, { data: { ...folder, parent_id: 1 } }],
    ['an invalid id', 200, { data: { ...folder, id: 'x' } }],
    ['a missing envelope', 200, folder],
    ['an undocumented status', 418, { message: 'Teapot.' }],
    ['an error with a code', 404, { message: 'Not found.', code: 'NOT_FOUND' }],
  ];
  for (const [name, status, body] of wrong) test(`rejects ${name}`, () => expect(() => check(status, body)).toThrow());

  test('rejects a wrong content type and a missing request id', () => {
    const html = new Headers(headers);
    html.set('content-type', 'text/html');
    expect(() => check(200, { data: folder }, undefined, html)).toThrow('text/html');
    expect(() => check(200, { data: folder }, undefined, new Headers())).toThrow('X-Request-Id');
  });
});
