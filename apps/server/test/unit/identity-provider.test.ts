// These tests cover what a misbehaving provider can do, and whose addresses are trusted. The acceptance tests sign in
// through the service.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { createIdentityProvider } from '../../src/compose/identity-provider.ts';
import { type Account, CLIENT, Issuer } from '../acceptance/people/support/issuer.ts';
import { freePort } from '../acceptance/support/server.ts';

const CALLBACK = 'https://shelf.example/v1/sessions/oidc/callback';
const MINUTE = 60_000;

let now: number;
let asked: string[];
/** The provider's response when the service exchanges a code for tokens. */
let tokens: () => Response | Promise<Response>;
let discovery: () => Response;

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return pathname === '/token' ? tokens() : discovery();
  },
});
const issuer = `http://127.0.0.1:${server.port}`;

afterAll(() => server.stop(true));

beforeEach(() => {
  now = 0;
  asked = [];
  tokens = () =>
    Response.json({ error: 'invalid_grant', error_description: 'the code a-code is used' }, { status: 400 });
  discovery = () =>
    Response.json({ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` });
});

const clock = { now: () => now, elapsed: () => now };

const open = (secret = 'a secret') =>
  createIdentityProvider(
    { issuer, clientId: 'shelf', clientSecret: 'x', name: 'SSO', trustsEmail: false },
    secret,
    clock,
  );

type Opened = ReturnType<typeof open>;

async function begun(provider: Opened) {
  const { address, flow } = await provider.begin(CALLBACK);
  const { searchParams } = new URL(address);
  return {
    flow,
    address: searchParams,
    query: new URLSearchParams({ code: 'a-code', state: `${searchParams.get('state')}` }),
  };
}

const messageOf = (finishing: Promise<unknown>): Promise<string> =>
  finishing.then(String, ({ message, cause }: Error) => `${message}${cause ?? ''}`);

test('the sign-in URL has a state, a nonce and a code challenge that the cookie does not reveal', async () => {
  const { address, flow } = await begun(open());
  expect(Object.fromEntries(address)).toMatchObject({
    response_type: 'code',
    client_id: 'shelf',
    redirect_uri: CALLBACK,
    code_challenge_method: 'S256',
    scope: 'openid email',
  });
  const values = ['state', 'nonce', 'code_challenge'].map((name) => address.get(name) ?? '');
  expect(new Set(values).size).toBe(3);
  for (const value of values) {
    expect(value).toMatch(/^[\w-]{43}$/);
    expect(flow).not.toContain(value);
  }
});

test('a sign-in can be finished within ten minutes, by any process with the same secret', async () => {
  const provider = open();
  const { flow, query } = await begun(provider);
  expect(await open('another secret').finish(CALLBACK, query, flow)).toBe('expired');
  now = 10 * MINUTE - 1;
  const refused = 'The OpenID provider: server responded with an error in the response body: invalid_grant';
  expect(await messageOf(open().finish(CALLBACK, query, flow))).toBe(refused);
  now += 1;
  expect(await provider.finish(CALLBACK, query, flow)).toBe('expired');
});

test.each([
  ['', 'x'],
  ['.', 'x'],
  ['Infinity.x', 'x'],
  ['99999999999999', ''],
  ['1e300.', 'undefined'],
])('a forged cookie %j counts as expired', async (flow, state) => {
  expect(await open().finish(CALLBACK, new URLSearchParams({ code: 'a-code', state }), flow)).toBe('expired');
  expect(asked).toEqual([]);
});

test('a token response that never ends is abandoned', async () => {
  const provider = open();
  const { flow, query } = await begun(provider);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) });
  tokens = () => new Response(endless, { headers: { 'content-type': 'application/json' } });
  expect(await messageOf(provider.finish(CALLBACK, query, flow))).toContain('the answer is too long');
});

test('a sign-in can be attempted only once, even if the attempt fails', async () => {
  const provider = open();
  const { flow, query } = await begun(provider);
  const denied = new URLSearchParams([...query, ['error', 'access_denied']]);
  expect(await provider.finish(CALLBACK, new URLSearchParams({ state: 'wrong' }), flow)).toBe('expired');
  const [first, second] = [1, 2].map(() => messageOf(provider.finish(CALLBACK, query, flow)));
  expect(await second).toBe('expired');
  expect(await first).toEndWith('invalid_grant');
  expect(await provider.finish(CALLBACK, denied, flow)).toBe('expired');
  expect(asked.filter((path) => path === '/token')).toHaveLength(1);
});

test('the discovery document is requested at most once an hour, or once a second after a failure', async () => {
  const provider = open();
  discovery = () => Response.json({ issuer: 'https://evil.example' });
  const messages = await Promise.all([1, 2, 3].map(() => messageOf(provider.begin(CALLBACK))));
  const wrong = 'The OpenID provider: discovered metadata issuer does not match the expected issuer';
  expect(messages).toEqual([wrong, wrong, wrong]);
  expect(asked).toHaveLength(1);
  now += 1_000;
  discovery = () =>
    Response.json({ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` });
  for (const [later, times] of [
    [0, 2],
    [60 * MINUTE - 1, 2],
    [1, 3],
  ] as const) {
    now += later;
    await provider.begin(CALLBACK);
    expect(asked).toHaveLength(times);
  }
});

test('the last discovery document stays in use while requests for a new one fail', async () => {
  const provider = open();
  const { address } = await provider.begin(CALLBACK);
  discovery = () => new Response('down', { status: 502 });
  for (const [later, times] of [
    [60 * MINUTE, 2],
    [999, 2],
    [1, 3],
  ] as const) {
    now += later;
    expect((await provider.begin(CALLBACK)).address).toStartWith(address.split('?', 1)[0] ?? '');
    expect(asked).toHaveLength(times);
  }
  discovery = () => Response.json({ issuer, authorization_endpoint: `${issuer}/moved` });
  now += 1_000;
  expect((await provider.begin(CALLBACK)).address).toStartWith(`${issuer}/moved?`);
});

describe('an address that the provider doesn’t call verified', () => {
  /** @returns the address that is known after signing in with a real provider */
  async function emailOf(account: Account, trustsEmail: boolean, change = (_: URLSearchParams): void => undefined) {
    const real = new Issuer(await freePort(), CALLBACK);
    await real.open();
    try {
      real.account = account;
      const config = { issuer: real.url, clientId: CLIENT.OIDC_CLIENT_ID, clientSecret: CLIENT.OIDC_CLIENT_SECRET };
      const provider = createIdentityProvider({ ...config, name: 'SSO', trustsEmail }, 'a secret', clock);
      const { address, flow } = await provider.begin(CALLBACK);
      const url = new URL(address);
      change(url.searchParams);
      const { searchParams } = await real.visit(url.href);
      return { proven: await provider.finish(CALLBACK, searchParams, flow), asked: real.asked.slice(-2) };
    } finally {
      real.close();
    }
  }

  const anna = { sub: 'anna', email: 'anna@example.com' };

  test.each([
    ['without email_verified, as from Entra ID', anna],
    ['with email_verified: false, as from authentik', { ...anna, email_verified: false }],
  ])('%s, counts only if the operator trusts the provider', async (_, account) => {
    expect((await emailOf(account, false)).proven).toMatchObject({ subject: 'anna', email: null });
    expect((await emailOf(account, true)).proven).toMatchObject({ subject: 'anna', email: anna.email });
  });

  test('is taken from the ID token if that has it', async () => {
    const claims = JSON.stringify({ id_token: { email: null } });
    const { proven, asked: last } = await emailOf(anna, true, (query) => query.set('claims', claims));
    expect(proven).toMatchObject({ email: anna.email });
    expect(last).not.toContain('/me');
  });

  test('has to be one even if the operator trusts the provider', async () => {
    expect((await emailOf({ sub: 'anna', email: 'anna' }, true)).proven).toMatchObject({ email: null });
  });
});
