import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { issueSignInCode } from '@postshelf/application';
import { SESSION_LIFETIME, SIGN_IN_CODE_LIFETIME } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { type Api, createApi } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { PUBLIC_URL, startApi, type TestApi } from '../support/service.ts';

afterEach(databases.closeAll);

const UNKNOWN = 'secret-0'.padEnd(43, '_');

let api: TestApi;
let folders: string;

beforeEach(async () => {
  api = await startApi();
  made.clear();
  folders = `/workspaces/${api.workspace.id}/media_library/folders`;
});

interface Given {
  readonly origin?: string | null;
  readonly cookie?: string | null;
  readonly authorization?: string | null;
  readonly json?: unknown;
  /** The service's public address; null if it isn't configured. */
  readonly publicUrl?: string | null;
  readonly address?: string;
}

interface Answered {
  readonly status: number;
  readonly body: { readonly message?: string; readonly data?: unknown; readonly errors?: object };
  readonly cookie: string | null;
  readonly headers: Headers;
}

const made = new Map<string | null, Api>();

function serviceAt(publicUrl: string | null): Api {
  const called = publicUrl === null ? { ownOrigin: null } : { ownOrigin: new URL(publicUrl).origin, publicUrl };
  const service = made.get(publicUrl) ?? createApi({ ...api.service, ...called });
  made.set(publicUrl, service);
  return service;
}

/** Sends a request as a browser does, by default from the service's own page. */
async function ask(method: string, path: string, given: Given = {}): Promise<Answered> {
  const { origin = PUBLIC_URL, cookie = null, authorization = null, json, publicUrl = PUBLIC_URL } = given;
  const headers = Object.entries({ origin, cookie, authorization }).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  const isMultipart = json instanceof FormData;
  if (json !== undefined && !isMultipart) headers.push(['content-type', 'application/json']);
  const body = json === undefined || isMultipart ? json : JSON.stringify(json);
  const request = new Request(`${given.address ?? 'http://127.0.0.1:3000'}${path}`, {
    method,
    headers,
    body: body ?? null,
  });
  const response = await serviceAt(publicUrl).fetch(request);
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : JSON.parse(text),
    cookie: response.headers.get('set-cookie'),
    headers: response.headers,
  };
}

/** Returns the cookie as a browser sends it back. */
const pairOf = ({ cookie }: Answered): string => cookie?.split(';')[0] ?? '';

const signIn = async (json: object = { token: api.token }, given: Given = {}): Promise<string> =>
  pairOf(await ask('POST', '/v1/sessions', { json, ...given }));

const statusOf = async (cookie: string): Promise<number> => (await ask('GET', '/v1/me', { cookie })).status;

describe('the session cookie', () => {
  test.each([
    [PUBLIC_URL, 'http://127.0.0.1:3000', '__Host-postshelf', '; Secure'],
    ['http://media.example:8080', 'http://127.0.0.1:3000', 'postshelf-8080', ''],
    ['http://media.example', 'http://127.0.0.1:3000', 'postshelf-80', ''],
    // Another library may be on the same host. Its cookie must not replace ours.
    ['https://media.example/shelf', 'http://127.0.0.1:3000', '__Host-postshelf-shelf', '; Secure'],
    ['http://media.example/a;b/=', 'http://127.0.0.1:3000', 'postshelf-80-a-b--', ''],
    // If the public address isn't configured, the address in the browser's request is used.
    [null, 'http://localhost:3000', 'postshelf-3000', ''],
  ])('of a service at %p, requested at %s, is named %s', async (publicUrl, address, name, secure) => {
    const given = { publicUrl, address, origin: new URL(publicUrl ?? address).origin };
    const answered = await ask('POST', '/v1/sessions', { ...given, json: { token: api.token } });
    const seconds = 3600;
    const attributes = `; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
    expect(answered.cookie).toMatch(new RegExp(`^${name}=[\\w-]{43}${attributes}$`));
    // Browsers send the cookie with requests of pages on other ports of the host. Such pages must not be able to load
    // the answer as a script.
    const guards = ['cache-control', 'cross-origin-resource-policy', 'x-content-type-options'];
    expect(guards.map((header) => answered.headers.get(header))).toEqual(['no-store', 'same-origin', 'nosniff']);
    // A service on another port has set a cookie of this name for a longer path.
    const cookie = `other=1; ${name}=tossed; ${pairOf(answered)}; more="x"`;
    expect((await ask('GET', '/v1/me', { ...given, cookie })).status).toBe(200);
    const out = await ask('DELETE', '/v1/sessions/current', { ...given, cookie });
    expect([out.status, out.cookie]).toEqual([204, `${name}=${attributes.replace(`${seconds}`, '0')}`]);
    expect((await ask('GET', '/v1/me', { ...given, cookie })).status).toBe(401);
  });

  test('is stored only as a hash of its secret', async () => {
    const [, secret = ''] = (await signIn()).split('=');
    expect(await api.ports.sessions.find(secret)).toBeNull();
    const hash = api.service.ports.sessionSecrets.hashOf(secret) ?? '';
    expect(await api.ports.sessions.find(hash)).not.toBeNull();
  });
});

const OWN = PUBLIC_URL;
const FOREIGN = 'https://evil.example';

describe('a request with a cookie', () => {
  const form = () => {
    const body = new FormData();
    body.append('files[]', new File(['x'], 'x.jpg'));
    return body;
  };
  const requests: Readonly<Record<string, () => readonly [method: string, path: string, json?: unknown]>> = {
    'a read': () => ['GET', `/v1${folders}`],
    'a HEAD request': () => ['HEAD', `/v1${folders}`],
    'a tRPC query': () => ['GET', '/trpc/me.get'],
    'a batch of tRPC queries': () => ['GET', '/trpc/me.get,networks.list?batch=1'],
    POST: () => ['POST', `/v1${folders}`, { name: 'x' }],
    PATCH: () => ['PATCH', '/v1/media_library/folders/x', { name: 'x' }],
    DELETE: () => ['DELETE', '/v1/media_library/folders/x'],
    'an upload': () => ['POST', `/v1/workspaces/${api.workspace.id}/media_contents`, form()],
    'a tRPC mutation': () => ['POST', '/trpc/folders.create', { workspace: api.workspace.id, name: 'x' }],
  };
  /** Whether the caller was accepted, whatever the operation then answers. */
  const isIn = (status: number): boolean => status !== 401 && status !== 403;

  test.each(Object.keys(requests))('must come from the service’s own page if it changes anything: %s', async (name) => {
    const [method, path, json] = requests[name]?.() ?? ['', ''];
    const changes = !['GET', 'HEAD'].includes(method);
    const cookie = await signIn();
    const origins = [OWN, FOREIGN, 'null', `${OWN}:8443`, OWN.toUpperCase(), 'http://shelf.example', null];
    for (const origin of origins) {
      const { status, body } = await ask(method, path, { json, cookie, origin });
      expect([origin, isIn(status)]).toEqual([origin, !changes || origin === OWN]);
      if (status === 403)
        expect(JSON.stringify(body)).toContain(`The Origin of the request must be ${OWN}, the service's own.`);
    }
    // A token identifies the caller from any origin, and a cookie that is sent with it is ignored.
    const foreign = { json, cookie, origin: FOREIGN };
    expect(isIn((await ask(method, path, { ...foreign, authorization: `Bearer ${api.token}` })).status)).toBe(true);
    for (const authorization of ['', 'Bearer x']) {
      expect((await ask(method, path, { json, cookie, authorization })).status).toBe(401);
    }
    // A browser sends the password that a proxy has asked for with each request.
    const byProxy = { json, cookie, authorization: 'Basic dXNlcjpwYXNz' };
    expect(isIn((await ask(method, path, { ...byProxy, origin: PUBLIC_URL })).status)).toBe(true);
    expect((await ask(method, path, { ...byProxy, cookie: null })).status).toBe(401);
    for (const none of [null, `__Host-postshelf=${UNKNOWN}`, '__Host-postshelf=', cookie.replace('__Host-', '')]) {
      expect((await ask(method, path, { json, cookie: none })).status).toBe(401);
    }
  });
});

describe('signing in', () => {
  test('creates a session with the token’s scopes and reports the token’s name', async () => {
    const token = await api.tokenWith({ scopes: ['media:read'], name: 'narrow' });
    const answered = await ask('POST', '/v1/sessions', { json: { token, name: ' Firefox ' } });
    expect(answered.status).toBe(201);
    expect(answered.body.data).toMatchObject({ name: 'Firefox', last_used_at: null, is_current: true });
    const cookie = pairOf(answered);
    const { body } = await ask('GET', '/v1/me', { cookie });
    const { id, name, timezone } = api.workspace;
    expect(body.data).toMatchObject({
      token: { name: 'narrow', scopes: ['media:read'] },
      workspaces: [{ id, name, timezone }],
    });
    expect((await ask('POST', `/v1${folders}`, { cookie, json: { name: 'x' } })).status).toBe(403);
    const foreign = await addWorkspace(api.ports);
    expect((await ask('GET', `/v1/workspaces/${foreign.id}/media_contents`, { cookie })).status).toBe(404);
  });

  test.each([
    ['another origin', { token: 'good' }, FOREIGN, 403],
    ['no origin', { token: 'good' }, null, 403],
    ['a bad token', { token: 'a.b.c' }, OWN, 401],
    ['an empty token', { token: '' }, OWN, 401],
    ['an unknown code', { code: UNKNOWN }, OWN, 401],
    ['an empty object', {}, OWN, 422],
    ['a token and a code', { token: 'good', code: UNKNOWN }, OWN, 422],
    ['a number as the token', { token: 7 }, OWN, 422],
    ['a long name', { token: 'good', name: 'x'.repeat(101) }, OWN, 422],
    ['a body of 20 KB', { token: 'x'.repeat(20_000) }, OWN, 413],
  ])('is refused with %s', async (_, json, origin, status) => {
    const given = 'token' in json && json.token === 'good' ? { ...json, token: api.token } : json;
    const answered = await ask('POST', '/v1/sessions', { json: given, origin, authorization: `Bearer ${api.token}` });
    expect([answered.status, answered.cookie]).toEqual([status, null]);
  });

  test('with a code works only once, even for concurrent requests, and only within ten minutes', async () => {
    const claims = await api.service.ports.signer.verify(api.token);
    const token = claims && (await api.ports.tokens.find(claims.jti));
    if (!token) throw new Error('The token has no row.');
    const issue = () => issueSignInCode(api.service.ports, token);
    const code = await issue();
    const both = await Promise.all([1, 2].map(() => ask('POST', '/v1/sessions', { json: { code } })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect((await ask('POST', '/v1/sessions', { json: { code } })).status).toBe(401);
    const late = await issue();
    const ofRevoked = await issue();
    api.ports.clock.set(api.ports.clock.now() + SIGN_IN_CODE_LIFETIME);
    expect((await ask('POST', '/v1/sessions', { json: { code: late } })).status).toBe(401);
    await api.ports.tokens.revoke(token.id, api.ports.clock.now());
    expect((await ask('POST', '/v1/sessions', { json: { code: ofRevoked } })).status).toBe(401);
  });

  test('ends the browser’s previous session and ignores an Idempotency-Key', async () => {
    const first = await signIn();
    const second = await signIn({ token: api.token }, { cookie: first });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    const keyed = () =>
      api.send('POST', '/v1/sessions', { json: { token: api.token } }, { Origin: OWN, 'Idempotency-Key': 'k' });
    const cookies = [await keyed(), await keyed()].map(({ headers }) => headers.get('set-cookie'));
    expect(new Set(cookies).size).toBe(2);
  });
});

describe('a session', () => {
  test('ends when its token is revoked or expires, or when it expires itself', async () => {
    const text = await api.tokenWith({ lifetime: SESSION_LIFETIME * 2 });
    const [revoked, short, long] = [
      await signIn(),
      await signIn({ token: await api.tokenWith({ lifetime: 5000 }) }),
      await signIn({ token: text }),
    ];
    expect([await statusOf(revoked), await statusOf(short), await statusOf(long)]).toEqual([200, 200, 200]);
    const claims = await api.service.ports.signer.verify(api.token);
    if (claims) await api.ports.tokens.revoke(claims.jti, api.ports.clock.now());
    api.ports.clock.set(api.ports.clock.now() + 5000);
    expect([await statusOf(revoked), await statusOf(short), await statusOf(long)]).toEqual([401, 401, 200]);
    api.ports.clock.set(api.ports.clock.now() + SESSION_LIFETIME);
    expect(await statusOf(long)).toBe(401);
    expect((await ask('GET', '/v1/me', { authorization: `Bearer ${text}` })).status).toBe(200);
  });

  test('can be ended with the same token and with no other', async () => {
    const [one, two] = [await signIn(), await signIn()];
    const other = await signIn({ token: await api.tokenWith({}) });
    const list = async (cookie: string) =>
      (await ask('GET', '/v1/sessions', { cookie })).body.data as { id: string; is_current: boolean }[];
    const [newest, oldest] = await list(one);
    expect([newest?.is_current, oldest?.is_current]).toEqual([false, true]);
    const remove = (id: unknown, cookie: string) => ask('DELETE', `/v1/sessions/${id}`, { cookie });
    expect((await list(other)).length).toBe(1);
    expect((await remove(newest?.id, other)).status).toBe(404);
    expect((await remove('x', one)).status).toBe(404);
    const ended = await remove(newest?.id, one);
    expect([ended.status, ended.cookie]).toEqual([204, null]);
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([200, 401, 200]);
    // A token may have sessions, but a request with the token itself belongs to none of them.
    expect((await api.send('DELETE', '/v1/sessions/current')).status).toBe(404);
    const byToken = await api.send('GET', '/v1/sessions');
    expect(((await byToken.json()) as { data: object[] }).data).toMatchObject([{ id: oldest?.id, is_current: false }]);
    const mutation = await ask('POST', '/trpc/sessions.delete', { cookie: one, json: { id: 'current' } });
    expect([mutation.status, mutation.cookie?.includes('Max-Age=0')]).toEqual([200, true]);
    expect(await statusOf(one)).toBe(401);
  });
});
