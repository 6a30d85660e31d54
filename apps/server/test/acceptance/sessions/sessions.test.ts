// These tests cover the requests of a browser that signs in with a link or a token, and how other processes end its
// session.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { serversOfSuite } from '../support/fleet.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { at, type Reply, stringAt } from '../support/reply.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;
let id: string;
let origin: string;

beforeAll(async () => {
  world = await World.open();
  origin = new URL(world.server.url).origin;
  id = await world.token('browser', '{workspace}', ['--name', 'Browser']);
});

afterAll(() => world.close());

const signIn = (json: object, headers: Record<string, string> = { origin }): Promise<Reply> =>
  world.call('POST /sessions', { token: null, headers, json });

const cookieOf = (reply: Reply): string => reply.headers.get('set-cookie')?.split(';')[0] ?? '';

const ask = (send: string, cookie: string, more: { headers?: object; json?: unknown; body?: Uint8Array } = {}) =>
  world.call(send, { ...more, token: null, headers: { cookie, origin, ...more.headers } });

/** The code in a new sign-in link that the command prints. */
async function newCode(): Promise<string> {
  const link = stringAt(await world.command(['token', 'sign-in-link', id]), 'link');
  expect(link).toStartWith(`${world.server.url}/#code=`);
  return new URL(link).hash.slice('#code='.length);
}

test('a link signs in once, its session allows uploads and tRPC, and neither code nor cookie is logged', async () => {
  const code = await newCode();
  const replies = await Promise.all([1, 2, 3].map(() => signIn({ code, name: 'Laptop' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  const begun = replies.find(({ status }) => status === 201);
  const cookie = begun ? cookieOf(begun) : '';
  expect(cookie).toStartWith(`postshelf-${new URL(origin).port}=`);
  const { contentType, bytes } = multipart([file('beach.jpg', fixtures.jpeg())], boundary);
  const upload = { headers: { 'content-type': contentType }, body: bytes };
  const library = 'POST /workspaces/{workspace}/media_contents';
  expect((await ask(library, cookie, upload)).status).toBe(201);
  const foreign = { ...upload, headers: { ...upload.headers, origin: 'https://evil.example' } };
  expect((await ask(library, cookie, foreign)).status).toBe(403);
  const made = await ask('POST /trpc/folders.create', cookie, { json: { workspace: '{workspace}', name: 'Summer' } });
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const me = await ask('GET /trpc/me.get', cookie);
  expect(at(me.json, 'result', 'data', 'data')).toMatchObject({
    token: { id, name: 'Browser' },
    workspaces: [{ id: world.ids.workspace, timezone: 'UTC' }],
  });
  const logged = [code, cookie.split('=')[1] ?? ''].map((secret) => world.server.log().includes(secret));
  expect(logged).toEqual([false, false]);
});

test('revoking the token in another process ends its sessions and links immediately', async () => {
  const token = { token: world.tokens.browser };
  const cookies = [cookieOf(await signIn(token)), cookieOf(await signIn(token))];
  const code = await newCode();
  const listed = await ask('GET /sessions', cookies[0] ?? '');
  expect(at(listed.json, 'meta', 'total')).toBe(3);
  await world.run(['token', 'revoke', id]);
  for (const cookie of cookies) expect((await ask('GET /me', cookie)).status).toBe(401);
  expect([(await signIn(token)).status, (await signIn({ code })).status]).toEqual([401, 401]);
  const refused = world.command(['token', 'sign-in-link', id]);
  expect(await refused.then(String, String)).toContain('is no longer valid');
});

/**
 * The hint about PUBLIC_URL, which appears only if PUBLIC_URL isn't set. A suite with several servers sets PUBLIC_URL.
 */
const PUBLIC_URL_HINT = serversOfSuite > 1 ? '' : ' Behind a proxy, PUBLIC_URL has to be set\\.';

// A page of a different site can make a browser send these requests.
table(
  () => world,
  [
    row('a form of another site cannot sign in', 'POST /sessions', { token: 'x' }, 403),
    {
      ...row('a page of an origin that CORS allows cannot sign in', 'POST /sessions', { token: 'x' }, 403),
      headers: { origin: 'https://app.example.com' },
      message: new RegExp(
        `^The Origin of the request must be http://127\\.0\\.0\\.1:\\d+, the service's own\\.${PUBLIC_URL_HINT}$`,
      ),
    },
  ],
);
