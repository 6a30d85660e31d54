// These tests cover the people of a workspace: their sign-in links and roles, and what revokes them. If there are
// several servers, any of them may answer a request.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { at, type Reply, stringAt } from '../support/reply.ts';
import { row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { begin, signIn } from './support/browser.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
  await world.operator();
});

afterAll(() => world.close());

const PEOPLE = '/workspaces/{workspace}/people';

const invite = (json: object, token = 'all'): Promise<Reply> => world.call(`POST ${PEOPLE}`, { json, token });

const codeIn = (reply: Reply): string =>
  new URL(stringAt(reply.json, 'data', 'invitation')).hash.slice('#code='.length);

/** Adds a person, who signs in with a link. */
async function member(role: string, name = 'Ada') {
  const reply = await invite({ name, role });
  expect(reply.status).toBe(201);
  const code = codeIn(reply);
  return { id: stringAt(reply.json, 'data', 'id'), code, ...(await signIn(world, { code })) };
}

test('an invitation is shown once, and its link signs in the person once', async () => {
  const reply = await invite({ name: ' Ada  Lovelace ', email: 'ada@example.com', role: 'editor' });
  expect(reply.status).toBe(201);
  const { invitation, ...shown } = Object(at(reply.json, 'data'));
  expect(invitation).toStartWith(`${world.server.url}/#code=`);
  expect(shown).toMatchObject({
    name: expect.stringContaining('Ada'),
    email: 'ada@example.com',
    role: 'editor',
    status: 'invited',
  });
  const days = (Date.parse(stringAt(shown, 'expires_at')) - Date.parse(stringAt(shown, 'created_at'))) / 86_400_000;
  expect(days).toBe(7);
  const listed = await world.call(`GET ${PEOPLE}`);
  expect(at(listed.json, 'data', 0)).toEqual(shown);
  expect(listed.text).not.toContain('code=');
  const { ask } = await signIn(world, { code: codeIn(reply) });
  expect((await begin(world, { code: codeIn(reply) })).status).toBe(401);
  const me = await ask('GET /me');
  expect(at(me.json, 'data')).toMatchObject({
    token: null,
    person: { name: shown.name },
    workspaces: [{ id: world.ids.workspace, person: shown.id, role: 'editor' }],
  });
  expect(at((await world.call(`GET ${PEOPLE}`)).json, 'data', 0)).toMatchObject({ status: 'active', expires_at: null });
  expect(world.server.log()).not.toContain(codeIn(reply));
});

describe('a change to a person', () => {
  const ends = [
    ['DELETE /people/{id}', 204],
    ['DELETE /people/{id}/sessions', 204],
    ['POST /people/{id}/invite', 201],
    ['PATCH /people/{id}', 200],
  ] as const;

  test.each(ends)('ends the person’s sessions and links immediately: %s', async (send, status) => {
    const signedIn = await member('viewer');
    const unused = await invite({ name: 'Bob', role: 'viewer' });
    for (const id of [signedIn.id, stringAt(unused.json, 'data', 'id')]) {
      const reply = await world.call(
        send.replace('{id}', id),
        send.startsWith('PATCH') ? { json: { email: `${id}@example.com` } } : {},
      );
      expect([reply.status, reply.text]).toEqual([status, expect.any(String)]);
    }
    expect((await signedIn.ask('GET /me')).status).toBe(401);
    expect((await begin(world, { code: codeIn(unused) })).status).toBe(401);
  });

  test('that creates a new sign-in link invalidates the old link', async () => {
    const first = await invite({ name: 'Ada', role: 'viewer' });
    const again = await world.call(`POST /people/${stringAt(first.json, 'data', 'id')}/invite`);
    expect((await begin(world, { code: codeIn(first) })).status).toBe(401);
    const { ask } = await signIn(world, { code: codeIn(again) });
    expect((await ask('GET /me')).status).toBe(200);
  });

  test('of the role applies from the next request on', async () => {
    const { id, ask } = await member('viewer');
    const create = () =>
      ask('POST /workspaces/{workspace}/media_library/folders', { json: { name: crypto.randomUUID() } });
    expect((await create()).status).toBe(403);
    expect((await world.call(`PATCH /people/${id}`, { json: { role: 'editor' } })).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await world.call(`PATCH /people/${id}`, { json: { role: 'viewer', name: 'Bob' } })).status).toBe(200);
    expect((await create()).status).toBe(403);
    expect(at((await ask('GET /me')).json, 'data', 'person')).toEqual({ name: 'Bob' });
  });
});

test('an idempotency key applies to each person separately', async () => {
  const [ada, bob] = [await member('editor'), await member('editor')];
  const create = (by: typeof ada) =>
    by.ask('POST /workspaces/{workspace}/media_library/folders', {
      headers: { 'idempotency-key': 'once' },
      json: { name: `of ${by.id}` },
    });
  const [first, again, other] = [await create(ada), await create(ada), await create(bob)];
  expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect([again.text === first.text, other.text === first.text]).toEqual([true, false]);
});

test('a repeated request is authorized by the current role', async () => {
  const { id, ask } = await member('manager');
  const again = () => {
    const json = { name: 'Eve', role: 'manager' };
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
    return Promise.all([
      ask(`POST ${PEOPLE}`, { ...keyed('rest'), json }),
      ask('POST /trpc/people.create', { ...keyed('trpc'), json: { ...json, workspace: '{workspace}' } }),
    ]);
  };
  expect((await again()).map(({ status }) => status)).toEqual([201, 200]);
  expect((await again()).map((reply) => reply.headers.get('idempotency-replayed'))).toEqual(['true', 'true']);
  await world.call(`PATCH /people/${id}`, { json: { role: 'viewer' } });
  expect((await again()).map(({ status }) => status)).toEqual([403, 403]);
});

describe('permission to manage people', () => {
  let manager: string;
  let viewer: string;

  beforeEach(async () => {
    manager = (await member('manager')).id;
    viewer = (await member('viewer')).id;
    await world.token(
      'reads',
      '{workspace}',
      ['people:write', 'media:read', 'folders:read', 'analytics:read'].flatMap((scope) => ['--scope', scope]),
    );
  });

  test('is limited to roles whose scopes the token has', async () => {
    const by = (send: string, json?: object) => world.call(send, { token: 'reads', ...(json && { json }) });
    const refused = [
      await invite({ name: 'Eve', role: 'editor' }, 'reads'),
      await by(`PATCH /people/${viewer}`, { role: 'editor' }),
      await by(`PATCH /people/${manager}`, { role: 'viewer' }),
      await by(`PATCH /people/${manager}`, { email: 'eve@example.com' }),
      await by(`POST /people/${manager}/invite`),
      await by(`DELETE /people/${manager}/sessions`),
      await by(`DELETE /people/${manager}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    for (const { text } of refused) expect(text).toMatch(/The scope \w+:\w+ is missing\./);
    expect((await invite({ name: 'Bob', role: 'viewer' }, 'reads')).status).toBe(201);
    expect((await by(`PATCH /people/${viewer}`, { name: 'Carol' })).status).toBe(200);
    expect((await by(`DELETE /people/${viewer}`)).status).toBe(204);
  });

  test('is not limited for an operator, who still sees no media', async () => {
    const by = (send: string, json?: object) => world.call(send, { token: 'operator', ...(json && { json }) });
    expect((await by(`GET ${PEOPLE}`)).status).toBe(200);
    expect((await invite({ name: 'Ops', role: 'manager' }, 'operator')).status).toBe(201);
    expect((await by(`PATCH /people/${manager}`, { role: 'viewer' })).status).toBe(200);
    expect((await by(`DELETE /people/${viewer}`)).status).toBe(204);
    expect((await by('GET /workspaces/{workspace}/media_contents')).status).toBe(403);
    expect((await by('GET /workspaces/{unknown}/people')).status).toBe(404);
  });
});

table(
  () => world,
  [
    row('an invitation requires a name and an existing role', `POST ${PEOPLE}`, { name: '', role: 'owner' }, 422),
    row(
      'an invitation requires an @ in an e-mail address',
      `POST ${PEOPLE}`,
      { name: 'Ada', email: 'ada', role: 'viewer' },
      422,
    ),
    row('people of another workspace are not found', 'GET /workspaces/{foreign}/people', undefined, 404),
  ],
);

test('an e-mail address is unique in a workspace', async () => {
  expect((await invite({ name: 'Ada', email: 'once@example.com', role: 'viewer' })).status).toBe(201);
  const again = await invite({ name: 'Eve', email: 'ONCE@example.com', role: 'viewer' });
  expect([again.status, at(again.json, 'errors')]).toEqual([422, { email: ['The email has already been taken.'] }]);
});

test('the uploader is shown by name on the item, and by id in the log and the audit log', async () => {
  const { id, ask } = await member('editor', 'Grace');
  const { contentType, bytes } = multipart([file('beach.jpg', fixtures.jpeg())], boundary);
  const stored = await ask('POST /workspaces/{workspace}/media_contents', {
    headers: { 'content-type': contentType },
    body: bytes,
  });
  const item = stringAt(stored.json, 'data', 0, 'id');
  const details = async () =>
    at((await world.call(`GET /media_contents/${item}?include=details`)).json, 'data', 'details', 'created_by');
  expect(await details()).toEqual({ kind: 'person', name: 'Grace' });
  const audited = await world.call('GET /audit?workspace={workspace}&per_page=100', { token: 'operator' });
  const entries = Object.values(Object(at(audited.json, 'data')));
  expect(entries.filter((entry) => at(entry, 'subject') === item)).toMatchObject([
    { action: 'media.upload', person: id, token: null },
  ]);
  expect(world.server.log()).toContain(`"person":"${id}"`);
  await world.call(`DELETE /people/${id}`);
  expect(await details()).toBeNull();
  const byToken = await world.storeOne(file('hill.jpg', fixtures.jpeg()));
  expect(
    at((await world.call(`GET /media_contents/${byToken.id}?include=details`)).json, 'data', 'details', 'created_by'),
  ).toMatchObject({ kind: 'token' });
});

test('token reset-secret ends unused invitations, and nothing in another library', async () => {
  const { ask } = await member('viewer');
  const unused = codeIn(await invite({ name: 'Bob', role: 'viewer' }));
  const other = await World.open();
  try {
    const workspace = String(other.ids.workspace);
    const invited = await other.command([
      'people',
      'invite',
      '--workspace',
      workspace,
      '--name',
      'Ada',
      '--role',
      'viewer',
    ]);
    const code = new URL(stringAt(invited, 'invitation')).hash.slice('#code='.length);
    await other.command(['token', 'reset-secret', '--yes']);
    expect((await begin(other, { code })).status).toBe(401);
  } finally {
    await other.close();
  }
  expect([(await ask('GET /me')).status, (await begin(world, { code: unused })).status]).toEqual([200, 201]);
});

test('commands list, invite and remove people', async () => {
  const workspace = String(world.ids.workspace);
  const invited = await world.command([
    'people',
    'invite',
    '--workspace',
    workspace,
    '--name',
    'Shell',
    '--role',
    'viewer',
  ]);
  const { ask } = await signIn(world, { code: new URL(stringAt(invited, 'invitation')).hash.slice('#code='.length) });
  expect(at((await ask('GET /me')).json, 'data', 'person')).toEqual({ name: 'Shell' });
  const listed = await world.command(['people', 'list', '--workspace', workspace]);
  expect(JSON.stringify(listed)).toContain(stringAt(invited, 'id'));
  await world.command(['people', 'remove', stringAt(invited, 'id')]);
  expect((await ask('GET /me')).status).toBe(401);
});
