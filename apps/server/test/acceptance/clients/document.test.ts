import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { operations } from '../support/contract.ts';
import { hasFfmpeg } from '../support/ffmpeg.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { at, stringAt } from '../support/reply.ts';
import { run } from '../support/run.ts';
import { freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { installPackages } from './support/install.ts';

/**
 * Whether to run Spectral, and to send each refused request through Prism, which together take as long as all other
 * tests of this file. Other checks find most of the same errors: other suites validate their answers against the
 * document, `isolation` tests the refusals of each operation, and `npm run check` lints the document with Redocly.
 */
const isThorough = sized(false, true);

const document = resolve(import.meta.dir, '../../../../../docs/openapi.json');

/** A one-pixel image that consists of ASCII bytes, because Prism reads bodies as text, and would change other bytes. */
const GIF = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;';

/**
 * Prism as a proxy between client and service. If one of them violates the document, Prism answers with its own error.
 */
class Prism {
  private constructor(
    readonly url: string,
    private readonly process: Bun.Subprocess,
  ) {}

  static async open(upstream: string, args: readonly string[]): Promise<Prism> {
    const port = await freePort();
    const bin = join(tools, 'node_modules/@stoplight/prism-cli/dist/index.js');
    const process = Bun.spawn(['node', bin, 'proxy', document, upstream, '--port', String(port), '--errors', ...args], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const url = `http://127.0.0.1:${port}`;
    await until(
      'Prism answers',
      async () => {
        if (process.exitCode !== null) throw new Error(`Prism ended with ${process.exitCode}.`);
        return fetch(url, { signal: AbortSignal.timeout(10_000) }).then(
          () => true,
          () => false,
        );
      },
      // Prism takes a long time to load on a busy machine.
      180_000,
    );
    return new Prism(url, process);
  }

  async close(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process.exited;
  }
}

interface Sent {
  readonly origin?: string;
  readonly token?: string;
  readonly json?: unknown;
  readonly body?: string | FormData;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** This function is called with the answer's headers. */
  take?(headers: Headers): void;
}

/** The folder in which Prism and Spectral are installed. */
let tools: string;
let world: World;
let origin: Origin;
/** `both` validates requests and answers, and `answers` validates only answers. */
let both: Prism;
let answers: Prism | undefined;
const touched = new Set<string>();

beforeAll(async () => {
  tools = scratchFolder();
  [world, origin] = await Promise.all([
    World.open({ ...loopback, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }),
    Origin.open(),
    installPackages(join(import.meta.dir, 'document-checks'), tools),
  ]);
  const upstream = `${world.server.url}/v1`;
  [both, answers] = await Promise.all([
    Prism.open(upstream, []),
    isThorough ? Prism.open(upstream, ['--validate-request', 'false']) : undefined,
    world.token('media', '{workspace}', ['--scope', 'media:read']),
    world.token('folders', '{workspace}', ['--scope', 'folders:read']),
    world.operator(),
  ]);
  world.ids.picture = origin.page('beach.png', serve(fixtures.png())).url;
  world.ids.video = origin.page('film.mp4', serve(fixtures.mp4())).url;
  world.ids.receiver = origin.page('hook', serve(new Uint8Array())).url;
});

afterAll(async () => {
  await Promise.all([both.close(), answers?.close()]);
  origin.close();
  await world.close();
  removeFolder(tools);
});

if (isThorough)
  test('Spectral finds no problem in the OpenAPI document, not even a hint', async () => {
    const ruleset = join(tools, 'ruleset.json');
    const rules = { extends: 'spectral:oas', rules: { 'oas3-parameter-description': 'warn' } };
    writeFileSync(ruleset, JSON.stringify(rules));
    const options = ['--ruleset', ruleset, '--fail-severity', 'hint', '--quiet'];
    const lint = [join(tools, 'node_modules/.bin/spectral'), 'lint', document, ...options];
    const env = { PATH: String(process.env.PATH), HOME: tools };
    expect((await run(lint, { cwd: tools, env })).trim()).toBe('');
  });

/** Sends `METHOD /path` through Prism. @returns the JSON of the answer; null if it has no body or is an image */
async function send(prism: Prism | undefined, what: string, status: number, sent: Sent = {}): Promise<unknown> {
  const [method = '', path = ''] = world.fill(what).split(' ');
  const headers = new Headers({ authorization: `Bearer ${world.tokens[sent.token ?? 'all'] ?? sent.token}` });
  if (sent.json !== undefined) headers.set('content-type', 'application/json');
  if (sent.type) headers.set('content-type', sent.type);
  for (const [name, value] of Object.entries(sent.headers ?? {})) headers.set(name, value);
  if (sent.origin) headers.set('origin', sent.origin);
  const body = sent.json === undefined ? sent.body : JSON.stringify(world.fill(sent.json));
  const response = await fetch(`${prism?.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  sent.take?.(response.headers);
  const text = await response.text();
  expect({ status: response.status, text, violations: response.headers.get('sl-violations') }).toEqual({
    status,
    text,
    violations: null,
  });
  const type = response.headers.get('content-type') ?? '';
  expect(type).not.toContain('problem');
  return text === '' || type.startsWith('image/') ? null : JSON.parse(text);
}

/**
 * Whether an operation answers with a stream of events. Prism can't pass it on, because it waits for the answer's end.
 */
const isStream = (path: string): boolean => path.endsWith('/events');

const LIBRARY = '/workspaces/{workspace}/media_contents';
const FOLDERS = '/workspaces/{workspace}/media_library/folders';
const POSTS = '/workspaces/{workspace}/posts';

test('Prism finds no violation of the OpenAPI document in a journey through every operation', async () => {
  const go = async (what: string, status: number, sent?: Sent, id?: string) => {
    const answer = await send(both, what, status, sent);
    const [method, path = ''] = what.split(' ');
    const place = path
      .split('?')[0]
      ?.replace(
        /(?<=\/(?:calendars|jobs|media_contents|people|posts|profiles|sessions|tokens|trash|uploads|webhooks|webhook_deliveries)\/)\{\w+\}/,
        '{id}',
      )
      .replace('{inn}', '{workspace}');
    touched.add(`${method} ${place}`);
    if (id === undefined) return;
    const data = at(answer, 'data');
    world.ids[id] = stringAt(Array.isArray(data) ? data[0] : data, 'id');
  };
  await go(`POST ${FOLDERS}`, 201, { json: { name: 'Summer', parent_id: null } }, 'folder');
  await go(`GET ${FOLDERS}?parent_id=root&page=1&per_page=5`, 200);
  await go('GET /media_library/folders/{folder}', 200);
  await go('PATCH /media_library/folders/{folder}', 200, { json: { name: 'Winter' } });
  const form = new FormData();
  form.append('files[]', new File([GIF], 'dot.gif', { type: 'image/gif' }));
  form.append('label', 'Tiny');
  await go(`POST ${LIBRARY}`, 201, { body: form }, 'own');
  await go(`POST ${LIBRARY}`, 201, { json: { url: '{picture}', name: null, folder_id: '{folder}' } }, 'imported');
  await go(`POST ${LIBRARY}`, 202, { json: { url: '{video}', label: 'Film' } }, 'video');
  await go(`GET ${LIBRARY}?status=active&type=image&search=i&from=2026-01-01&folder_id=root`, 200);
  await until('the video is active', async () => {
    const answer = await send(both, 'GET /media_contents/{video}', 200);
    return at(answer, 'data', 'status') === 'active';
  });
  await go('GET /media_contents/{video}', 200);
  await go('GET /networks', 200);
  await go('GET /media_contents/{video}/readiness?targets=instagram.reel,x.post', 200);
  const checked = { media_content_ids: ['{own}', '{video}'], overrides: { 'x.post.image.count.max': 2 } };
  await go('POST /workspaces/{workspace}/readiness', 200, { json: checked });
  await go('POST /media_contents/{video}/links', 201, { json: { expires_in: 60 } });
  await go('POST /media_contents/{video}/fetch_check', 200, { json: { targets: ['tiktok.post'] } });
  await go('POST /workspaces/{workspace}/links', 200, { json: { ids: ['{own}', '{video}'], expires_in: 60 } });
  await go(`POST ${LIBRARY}/zip`, 201, { json: { ids: ['{own}', '{video}'] } });
  await go('POST /workspaces/{workspace}/rotate_link_key', 204);
  await go('POST /media_contents/{video}/fit', hasFfmpeg ? 202 : 422, {
    json: { target: 'youtube.video', how: 'crop' },
  });
  await go('PATCH /media_contents/{own}', 200, { json: { label: null, name: 'Dotted' } });
  await go(`POST ${LIBRARY}/batch`, 200, { json: { ids: ['{own}', 'x'], action: 'move', folder_id: '{folder}' } });
  await go(`POST ${LIBRARY}/batch`, 200, { json: { ids: ['{own}'], action: 'move', folder_id: null } });
  const bytes = fixtures.jpeg();
  const files = [{ name: 'beach.jpg', size: bytes.length, mime: 'image/jpeg' }];
  const issued = at(await send(both, `POST ${LIBRARY}/presign`, 201, { json: { files } }), 'data', 0);
  touched.add(`POST ${LIBRARY}/presign`);
  world.ids.issued = stringAt(issued, 'id');
  await go('GET /media_contents/{issued}', 200);
  const put = await fetch(stringAt(issued, 'upload_url'), {
    method: 'PUT',
    headers: JSON.parse(stringAt(issued, 'upload_headers')),
    body: Buffer.from(bytes),
  });
  expect(put.status).toBe(200);
  await go('POST /media_contents/{issued}/confirm', 200);
  const version = { 'tus-resumable': '1.0.0' };
  await go('POST /workspaces/{workspace}/uploads', 201, {
    headers: { ...version, 'upload-length': '10', 'upload-metadata': 'filename YS5qcGc=' },
    take: (headers) => {
      world.ids.begun = headers.get('location')?.split('/').at(-1) ?? '';
    },
  });
  const at0 = { ...version, 'upload-offset': '0' };
  // The body is text, because Prism would change other bytes.
  const type = 'application/offset+octet-stream';
  await go('PATCH /uploads/{begun}', 422, { headers: at0, body: 'no picture', type });
  await go('DELETE /uploads/{begun}', 204, { headers: version });
  await go('POST /workspaces/{workspace}/profiles', 201, { json: { name: 'Club', network: 'instagram' } }, 'profile');
  await go('GET /workspaces/{workspace}/profiles', 200);
  const post = { profile: '{profile}', published_at: '2026-01-31T18:30:00Z', media_content_ids: ['{own}'] };
  await go(`POST ${POSTS}?include=readiness`, 201, { json: { ...post, metrics: { likes: 3 }, text: 'Sun' } }, 'post');
  await go(`GET ${POSTS}?profile={profile}&per_page=1`, 200);
  await go('GET /posts/{post}', 200);
  await go('PATCH /posts/{post}', 200, { json: { text: null } });
  await go('PUT /posts/{post}/metrics', 200, { json: { likes: 5, clicks: 1 } });
  const line = JSON.stringify({ ...post, media_content_ids: [], external_id: '1' });
  await go(`POST ${POSTS}/import`, 200, { body: `${world.fill(line)}\nno JSON\n`, type: 'application/x-ndjson' });
  await go('GET /analytics/best_times?workspace={workspace}&from=2026-01-01&method=average', 200);
  await go('GET /analytics/best_times?profile={profile}', 200);
  await go('GET /analytics/best_times/slots?profile={profile}&exclude=Sunday', 200);
  await go('POST /workspaces/{workspace}/calendars', 201, { json: { profile: '{profile}', count: 3 } }, 'calendar');
  await go('GET /workspaces/{workspace}/calendars', 200);
  await go('DELETE /calendars/{calendar}', 204);
  const hook = { url: '{receiver}', types: ['media.active'] };
  await go('POST /workspaces/{workspace}/webhooks', 201, { json: hook }, 'webhook');
  await go('GET /workspaces/{workspace}/webhooks?per_page=1', 200);
  await go('GET /webhooks/{webhook}', 200);
  await go('PATCH /webhooks/{webhook}', 200, { json: { types: null } });
  await go('POST /webhooks/{webhook}/rotate_secret', 200);
  await go('POST /webhooks/{webhook}/test', 202, {}, 'delivery');
  await go('GET /webhooks/{webhook}/deliveries', 200);
  await go('POST /webhook_deliveries/{delivery}/redeliver', 202);
  await go('DELETE /webhooks/{webhook}', 204);

  await go('POST /workspaces/{workspace}/people', 201, { json: { name: 'Ada', role: 'viewer' } }, 'person');
  await go('GET /workspaces/{workspace}/people?per_page=1', 200);
  await go('PATCH /people/{person}', 200, { json: { role: 'editor' } });
  await go('POST /people/{person}/invite', 201);
  await go('DELETE /people/{person}/sessions', 204);
  await go('DELETE /people/{person}', 204);
  await go('GET /me', 200);
  await go('GET /workspaces/{workspace}/tags', 200);
  await go('GET /workspaces/{workspace}/usage', 200);
  const token = 'operator';
  await go('GET /workspaces?per_page=1', 200, { token });
  await go('POST /workspaces', 201, { token, json: { name: 'Inn', system_folders: ['Logos'] } }, 'inn');
  await go('GET /workspaces/{inn}', 200, { token });
  await go('PATCH /workspaces/{inn}', 200, { token, json: { timezone: 'UTC', strip_location: true } });
  const picker = { name: 'picker', workspaces: ['{inn}'], scopes: ['media:read'], expires_in: 60 };
  await go('POST /tokens', 201, { token, json: picker }, 'token');
  await go('GET /tokens?workspace={inn}&name=picker', 200, { token });
  await go('POST /tokens/{token}/rotate', 201, { token, json: { overlap: 5 } });
  await go('DELETE /tokens/{token}', 204, { token });
  await go('GET /jobs?kind=check&per_page=1', 200, { token }, 'job');
  await go('POST /jobs/{job}/retry', 202, { token });
  await go('DELETE /jobs/{job}', 422, { token });
  await go('DELETE /workspaces/{inn}', 202, { token });
  await go('GET /audit?workspace={workspace}&from=2026-01-01', 200, { token });
  const { origin } = new URL(world.server.url);
  await go('POST /sessions', 201, { json: { token: world.tokens.all, name: 'Firefox' }, origin }, 'session');
  await go('POST /sessions', 403, { json: { code: 'x' }, origin: 'https://elsewhere.example' });
  await go('GET /sessions/oidc', 404);
  await go('GET /sessions/oidc/callback', 404);
  await go('GET /sessions?per_page=1', 200);
  await go('DELETE /sessions/{session}', 204);
  // The following requests are well-formed, but refused.
  await go('DELETE /media_contents/{own}', 422);
  await go(`POST ${FOLDERS}`, 422, { json: { name: 'winter', parent_id: null } });
  await go(`GET ${LIBRARY}?folder_id={unknown}`, 422);
  await go(`POST ${LIBRARY}`, 422, { json: { url: 'http://10.0.0.1/a.jpg' } });
  await go('DELETE /posts/{post}', 204);
  await go('GET /profiles/{profile}', 200);
  await go('PATCH /profiles/{profile}', 200, { json: { name: 'Bar' } });
  await go('DELETE /profiles/{profile}?with_posts=true', 204);
  await go('DELETE /media_contents/{own}', 204);
  await go('GET /workspaces/{workspace}/trash?search=dot&per_page=1', 200);
  await go('GET /trash/{own}/preview', 200);
  await go('POST /trash/{own}/restore', 200);
  await go('DELETE /media_contents/{imported}', 204);
  await go('DELETE /trash/{imported}', 204);
  await go('DELETE /workspaces/{workspace}/trash', 202);
  await go('DELETE /media_library/folders/{folder}', 204);
  expect([...touched].sort()).toEqual(
    operations
      .filter(({ path }) => !path.includes('#') && !isStream(path))
      .map(({ place }) => place)
      .sort(),
  );
});

// The following requests are invalid. Prism would refuse them itself, so it only validates the service's answers.
const closed = operations.filter(({ isOpen }) => isThorough && !isOpen);
describe.each(closed.map(({ place, path, scope }) => [place, { path, scope }] as const))(
  'Prism finds no violation in the response of %s to',
  (place, { path, scope }) => {
    const what = place.replace('#files', '').replace(/\{\w+\}/g, '{unknown}');
    const own = place.replace('#files', '').replace(/\{(?!workspace\}|unknown\})\w+\}/g, '{unknown}');

    test('a forged token, and a token without the scope', async () => {
      await send(answers, what, 401, { token: 'forged' });
      if (scope !== null) await send(answers, what, 403, { token: scope === 'media:read' ? 'folders' : 'media' });
    });

    const able = scope === 'operator' ? { token: scope } : {};

    if (path.includes('{'))
      test('an unknown id', async () => {
        await send(answers, what, 404, able);
      });

    if (/^(POST|PATCH|PUT)/.test(place) && path.startsWith('/workspaces') && !path.endsWith('/uploads'))
      test('a body of another type, and a body without required fields', async () => {
        await send(answers, own, 415, { ...able, body: '<a/>', type: 'text/xml' });
        if (path.endsWith('/import')) await send(answers, own, 200, { body: '{', type: 'application/x-ndjson' });
        else if (path.endsWith('/calendars')) await send(answers, own, 201, { json: {} });
        else if (path.endsWith('/rotate_link_key')) await send(answers, own, 204, { json: {} });
        else await send(answers, own, place.startsWith('PATCH') ? 200 : 422, { ...able, json: {} });
      });

    if (place.startsWith('GET') && path.startsWith('/workspaces') && !isStream(path) && !/(?:\}|usage)$/.test(path))
      test('an invalid page number', async () => {
        await send(answers, `${own}?page=0`, 422, able);
      });
  },
);
