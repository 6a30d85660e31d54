// These tests sign in with a real OpenID provider as browsers do, but follow each redirect themselves.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { arrayAt, at, type Reply, stringAt } from '../support/reply.ts';
import { freePort } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { type Account, CLIENT, Issuer } from './support/issuer.ts';

const ANNA = { sub: 'anna', email: 'Anna@example.com', email_verified: true };
const EVE = { sub: 'eve', email: 'eve@example.com', email_verified: true };
const CALLBACK = '/v1/sessions/oidc/callback';

let world: World;
let issuer: Issuer;
/** The person Anna's ids, by workspace. */
const people: Record<string, string> = {};

beforeAll(async () => {
  const [PORT, port] = [String(await freePort()), await freePort()];
  issuer = new Issuer(port, `http://127.0.0.1:${PORT}${CALLBACK}`);
  world = await World.open({
    PORT,
    ...CLIENT,
    OIDC_ISSUER: issuer.url,
    OIDC_NAME: 'Beach "Club" & <Co>',
    TRUST_PROXY: 'true',
  });
  await world.operator();
  for (const workspace of ['workspace', 'foreign']) people[workspace] = await invite(workspace, 'anna@example.com');
});

afterAll(async () => {
  issuer.close();
  await world.close();
});

async function invite(workspace: string, email: string): Promise<string> {
  const json = { name: 'Anna', email, role: 'viewer' };
  const reply = await world.call(`POST /workspaces/{${workspace}}/people`, { token: 'operator', json });
  return stringAt(reply.json, 'data', 'id');
}

const begin = (headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }): Promise<Reply> =>
  world.call('GET /sessions/oidc', { token: null, headers });

const timesLogged = (): number => world.server.log().split('a sign-in by the OpenID provider failed').length - 1;

const locationOf = (reply: Reply): string => reply.headers.get('location') ?? '';

/**
 * The cookies that an answer sets: the session's cookie, and the cookie of a sign-in that has started. The latter's
 * name ends in `.oidc`.
 */
function cookiesOf({ headers }: Reply) {
  const all = headers.getSetCookie();
  const flow = all.find((cookie) => /^[^=]+\.oidc=/.test(cookie));
  return { flow, session: all.find((cookie) => cookie !== flow) };
}

const pairOf = (cookie: string | undefined): string => cookie?.split(';')[0] ?? '';

const secrets: string[] = [];

/**
 * Follows a sign-in until the provider redirects back.
 *
 * @param change how an attacker changes the URL of the provider
 */
async function leave(account: Account | null, change = (_: URLSearchParams): void => undefined) {
  issuer.account = account;
  const begun = await begin();
  const address = new URL(locationOf(begun));
  const cookie = pairOf(cookiesOf(begun).flow);
  secrets.push(address.searchParams.get('state') ?? '', cookie.split('=')[1] ?? '');
  change(address.searchParams);
  const { searchParams: query } = await issuer.visit(address.href);
  secrets.push(query.get('code') ?? 'denied');
  return { query, cookie };
}

type Left = Awaited<ReturnType<typeof leave>>;

const comeBack = ({ query, cookie }: Left): Promise<Reply> =>
  world.call(`GET /sessions/oidc/callback?${query}`, { token: null, headers: cookie === '' ? {} : { cookie } });

/** Expects a successful sign-in. @returns the session's cookie */
function sessionOf(reply: Reply): string {
  expect([reply.status, locationOf(reply)]).toEqual([302, `${world.server.url}/`]);
  return pairOf(cookiesOf(reply).session);
}

/** Expects a failed sign-in. @returns the error that the page explains; null if there is none */
function problemOf(reply: Reply): string | null {
  const { flow, session } = cookiesOf(reply);
  expect([reply.status, session, flow?.includes('Max-Age=0')]).toEqual([302, undefined, true]);
  const [root, problem = null] = locationOf(reply).split('/#error=');
  expect(root).toBe(world.server.url);
  return problem;
}

async function entered(cookie: string): Promise<unknown> {
  const { status, json } = await world.call('GET /me', { token: null, headers: { cookie } });
  return status === 200 ? arrayAt(json, 'data', 'workspaces').map((each) => at(each, 'id')) : status;
}

test('the service starts without its OpenID provider, logs an error, and names the provider on the page', async () => {
  const down = await begin();
  expect([down.status, locationOf(down)]).toEqual([302, `${world.server.url}/#error=failed`]);
  await Promise.all(Array.from({ length: 50 }, () => begin()));
  await until('the log says why', () => timesLogged() > 0);
  const page = await fetch(world.server.url).then((response) => response.text());
  const name = 'Beach &quot;Club&quot; &amp; &lt;Co&gt;';
  expect(page).toContain(`<meta name="postshelf-sign-in-with" content="${name}"></head>`);
  await issuer.open();
  // If there are several servers, each one has to ask the provider itself.
  await until('the provider is asked again', async () =>
    (await Promise.all([begin(), begin()])).every((begun) => locationOf(begun).startsWith(issuer.url)),
  );
  // Each server logs the failure at most once a second.
  expect(timesLogged()).toBeLessThan(10);
});

// The last warning is more than a second old, so the log would show a new one.
test('concurrent callbacks from one IP network are limited, without blocking others or logging warnings', async () => {
  const all = await Promise.all(Array.from({ length: 13 }, () => leave(EVE)));
  const { promise, resolve } = Promise.withResolvers<void>();
  issuer.beforeTokens = promise;
  const [before, logged] = [issuer.asked.length, timesLogged()];
  // All requests go to the same server.
  const from = ({ query, cookie }: Left, address: string) =>
    fetch(`${world.server.url}${CALLBACK}?${query}`, {
      redirect: 'manual',
      headers: { cookie, 'x-forwarded-for': address },
    }).then(({ headers }) => headers.get('location'));
  const [honest, ...others] = all;
  if (!honest) throw new Error('Unreachable: there are thirteen.');
  const returns = others.map((left, index) => from(left, `2001:db8:1:2:${index}::1`));
  const refused: unknown[] = [];
  for (const returned of returns) void returned.then((location) => refused.push(location));
  await until('two are refused', () => refused.length === 2);
  const other = from(honest, '2001:db8:1:3::1');
  await until('another one is let through', () => issuer.asked.length - before === 11);
  resolve();
  issuer.beforeTokens = null;
  expect(refused).toEqual(Array(2).fill(`${world.server.url}/#error=failed`));
  const unknown = `${world.server.url}/#error=unknown`;
  expect((await Promise.all([other, ...returns])).filter((location) => location === unknown)).toHaveLength(11);
  expect(await other).toBe(unknown);
  await until('the log has both', () => world.server.log().split('busy').length > 2);
  expect(timesLogged()).toBe(logged);
});

test.each([['cross-site'], ['same-site'], ['none'], [null]])(
  'a request with Sec-Fetch-Site %p starts no sign-in',
  async (site) => {
    const reply = await begin(site === null ? {} : { 'sec-fetch-site': site });
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []]);
  },
);

test('starting many sign-ins sends no request to the provider', async () => {
  const before = issuer.asked.length;
  const begun = await Promise.all(Array.from({ length: 20 }, () => begin()));
  expect(new Set(begun.map(locationOf)).size).toBe(20);
  expect(issuer.asked.length).toBe(before);
  const [first] = begun;
  if (!first) throw new Error('Unreachable: there are twenty.');
  const { port } = new URL(world.server.url);
  expect(cookiesOf(first).flow).toMatch(
    new RegExp(`^postshelf-${port}\\.oidc=[\\w.-]+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$`),
  );
  expect(first.headers.get('cache-control')).toBe('no-store');
});

const replaced = ({ query, cookie }: Left, name: string, value: string): Left => {
  const changed = new URLSearchParams(query);
  changed.set(name, value);
  return { query: changed, cookie };
};

test.each<[string, string, () => Promise<Left>]>([
  ['the user was not invited', 'unknown', () => leave(EVE)],
  ['the address is not verified', 'unverified', () => leave({ ...ANNA, email_verified: false })],
  ['email_verified has another value', 'unverified', () => leave({ ...ANNA, email_verified: 'TRUE' })],
  ['there is no address', 'unverified', () => leave({ sub: 'anna' })],
  ['the user denies', 'denied', () => leave(null)],
  ['the state is wrong', 'expired', async () => replaced(await leave(ANNA), 'state', 'x'.repeat(43))],
  ['the browser sends no cookie', 'expired', async () => ({ ...(await leave(ANNA)), cookie: '' })],
  [
    'the expiry of the cookie was changed',
    'expired',
    async () => {
      const { query, cookie } = await leave(ANNA);
      return { query, cookie: cookie.replace(/=\d/, '=9') };
    },
  ],
  [
    'the cookie belongs to another browser',
    'expired',
    async () => ({ ...(await leave(ANNA)), cookie: (await leave(ANNA)).cookie }),
  ],
  ['the nonce is wrong', 'failed', () => leave(ANNA, (query) => query.set('nonce', 'x'.repeat(43)))],
  [
    'the code belongs to another challenge',
    'failed',
    () => leave(ANNA, (query) => query.set('code_challenge', 'x'.repeat(43))),
  ],
  [
    'the code belongs to another sign-in',
    'failed',
    async () => replaced(await leave(ANNA), 'code', (await leave(ANNA)).query.get('code') ?? ''),
  ],
  ['the code is invented', 'failed', async () => replaced(await leave(ANNA), 'code', 'x'.repeat(43))],
  ['the answer names another issuer', 'failed', async () => replaced(await leave(ANNA), 'iss', 'https://evil.example')],
])('a sign-in fails if %s, with the error "%s" and no session', async (_, problem, left) => {
  expect(problemOf(await comeBack(await left()))).toBe(problem);
});

test('one sign-in grants access to every workspace that invited the address, and the code works only once', async () => {
  const left = await leave(ANNA);
  const signedIn = await comeBack(left);
  expect(cookiesOf(signedIn).flow).toContain('.oidc=; Path=/; Max-Age=0;');
  expect(cookiesOf(signedIn).session).toEndWith('HttpOnly; SameSite=Strict');
  const cookie = sessionOf(signedIn);
  expect(await entered(cookie)).toEqual(expect.arrayContaining([world.ids.workspace, world.ids.foreign]));
  // If there are several servers, a second server may ask the provider again.
  expect(['expired', 'failed']).toContain(problemOf(await comeBack(left)) ?? '');
  const audit = async () => arrayAt((await world.call('GET /audit', { token: 'operator' })).json, 'data');
  await until('the audit log has it', async () => at((await audit())[0], 'action') === 'sessions.create');
  expect(Object.values(people)).toContain(stringAt((await audit())[0], 'person'));
});

test.each(['true', true])(
  'email_verified: %j is read from the userinfo endpoint if the ID token has only the address',
  async (verified) => {
    const email = `${typeof verified}@example.com`;
    await invite('workspace', email);
    const claims = JSON.stringify({ id_token: { email: null } });
    const account = { sub: email, email, email_verified: verified };
    const left = await leave(account, (query) => query.set('claims', claims));
    const before = issuer.asked.length;
    expect(await entered(sessionOf(await comeBack(left)))).toEqual([world.ids.workspace]);
    expect(issuer.asked.slice(before)).toEqual(['/token', '/me']);
  },
);

test('an account that has signed in before needs no address, and its address is refused for another account', async () => {
  expect(await entered(sessionOf(await comeBack(await leave({ sub: 'anna' }))))).toHaveLength(2);
  expect(problemOf(await comeBack(await leave({ ...ANNA, sub: 'another' })))).toBe('unknown');
});

test('a new address ends a person’s sessions, and unlinks the provider until they sign in with that address', async () => {
  const cookie = sessionOf(await comeBack(await leave(ANNA)));
  const change = { token: 'operator', json: { email: 'ann@example.com' } };
  expect((await world.call(`PATCH /people/${people.foreign}`, change)).status).toBe(200);
  expect(await entered(cookie)).toEqual([world.ids.workspace]);
  expect(await entered(sessionOf(await comeBack(await leave(ANNA))))).toEqual([world.ids.workspace]);
  const claims = JSON.stringify({ id_token: { email: null, email_verified: null } });
  const ann = { sub: 'ann', email: 'ann@example.com', email_verified: true };
  const left = await leave(ann, (query) => query.set('claims', claims));
  const before = issuer.asked.length;
  expect(await entered(sessionOf(await comeBack(left)))).toEqual([world.ids.foreign]);
  expect(issuer.asked.slice(before)).toEqual(['/token']);
});

test('a removed person is signed out immediately, and cannot sign in again', async () => {
  const cookie = sessionOf(await comeBack(await leave(ANNA)));
  await world.call(`DELETE /people/${people.workspace}`, { token: 'operator' });
  expect(await entered(cookie)).toBe(401);
  expect(problemOf(await comeBack(await leave(ANNA)))).toBe('unknown');
});

test('the log contains no codes, states or cookies, but the error of the provider', async () => {
  await until('it is logged', async () => {
    await comeBack(replaced(await leave(ANNA), 'code', 'x'.repeat(43)));
    return world.server.log().includes(': invalid_grant');
  });
  const log = world.server.log();
  expect(secrets.length).toBeGreaterThan(50);
  expect(secrets.filter((secret) => secret === '' || log.includes(secret))).toEqual([]);
  expect(log).not.toContain(CLIENT.OIDC_CLIENT_SECRET);
  expect(log).not.toContain('example.com');
});
