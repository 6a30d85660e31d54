// These tests cover what requests and commands record in the audit log, and how operators read it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { issue, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, type Reply, stringAt } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

const ADDRESS = '203.0.113.7';
const FOLDERS = '/workspaces/{workspace}/media_library/folders';

let world: World;
let tokenId: string;

beforeAll(async () => {
  // There is only one server, because a second one would write its entries a moment later.
  world = await World.openAlone({ ...onDisk, TRUST_PROXY: 'true' });
  await world.operator();
  tokenId = await world.token('own', '{workspace}');
});

afterAll(() => world.close());

const call = (send: string, options: Parameters<World['call']>[1] = {}): Promise<Reply> =>
  world.call(send, { token: 'own', ...options, headers: { 'x-forwarded-for': ADDRESS, ...options.headers } });

const list = async (query: string): Promise<readonly unknown[]> =>
  arrayAt((await world.call(`GET /audit?${query}`, { token: 'operator' })).json, 'data');

/** The action and subject of the entries that the work adds for the token, oldest first. */
async function doneBy(work: () => Promise<unknown>): Promise<readonly (readonly unknown[])[]> {
  const before = new Set((await list(`token=${tokenId}`)).map((entry) => at(entry, 'id')));
  await work();
  const entries = (await list(`token=${tokenId}`)).filter((entry) => !before.has(at(entry, 'id')));
  return entries.map((entry) => [at(entry, 'action'), at(entry, 'subject')]).toReversed();
}

const folder = async (name: string): Promise<string> => {
  const made = await call(`POST ${FOLDERS}`, { json: { name, parent_id: null } });
  return stringAt(made.json, 'data', 'id');
};

const trpc = (path: string, input: unknown) => call(`POST /trpc/${path}`, { json: input });

test('a successful change is recorded with its token, action, subject, time and address', async () => {
  const begun = Date.now();
  const id = await folder('Secret name');
  const [entry] = await list(`token=${tokenId}`);
  expect(entry).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    token: tokenId,
    person: null,
    action: 'folders.create',
    subject: id,
    workspace: world.ids.workspace,
    address: ADDRESS,
  });
  const time = Date.parse(stringAt(entry, 'at'));
  expect(time >= begun - 1000 && time <= Date.now() + 1000).toBe(true);
});

test('refused requests and reads leave no entry, and a repeat leaves no second one', async () => {
  const headers = { 'idempotency-key': 'audited' };
  const once = { json: { name: 'Once', parent_id: null }, headers };
  const done = await doneBy(async () => {
    const { json } = await call(`POST ${FOLDERS}`, once);
    const again = await call(`POST ${FOLDERS}`, once);
    expect([again.json, again.headers.get('idempotency-replayed')]).toEqual([json, 'true']);
    expect((await call(`POST ${FOLDERS}`, { json: { name: 'once', parent_id: null } })).status).toBe(422);
    expect((await call('DELETE /workspaces/{workspace}/media_contents')).status).toBe(405);
    expect((await call('DELETE /posts/{foreign}')).status).toBe(404);
    await call(`GET ${FOLDERS}`);
    await call('POST /workspaces/{workspace}/readiness', { json: { media_content_ids: [] } });
  });
  expect(done).toEqual([['folders.create', expect.any(String)]]);
});

test('tRPC calls leave the same entries, and a batch leaves one for each changed item', async () => {
  const items = await world.store(file('a.jpg', fixtures.jpeg()), file('b.png', fixtures.png()));
  const ids = items.map(({ id }) => id);
  const workspace = world.ids.workspace;
  const done = await doneBy(async () => {
    expect((await trpc('media.update', { id: ids[0], label: 'x' })).status).toBe(200);
    const batch = { workspace, ids: [...ids, 'none'], action: 'tag', tags: ['x'] };
    expect((await trpc('media.batch', batch)).status).toBe(200);
    await call('DELETE /media_contents/{item}'.replace('{item}', String(ids[0])));
  });
  expect(done.map((each) => each.join())).toEqual([
    `media.update,${ids[0]}`,
    ...ids.map((id) => `media.batch,${id}`).sort(),
    `media.delete,${ids[0]}`,
  ]);
});

test('uploads, presigned uploads, imports of posts and sessions leave entries', async () => {
  const origin = new URL(world.server.url).origin;
  world.tokens.all = String(world.tokens.own);
  const issued = await issue(world, fixtures.jpeg());
  const done = await doneBy(async () => {
    await world.store(file('c.jpg', fixtures.jpeg()), file('d.png', fixtures.png()));
    await upload(issued, fixtures.jpeg());
    await call(`POST /media_contents/${issued.id}/confirm`);
    const lines = { body: 'no JSON\n', headers: { 'content-type': 'application/x-ndjson' } };
    await call('POST /workspaces/{workspace}/posts/import', lines);
    const signedIn = await call('POST /sessions', {
      token: null,
      json: { token: world.tokens.own },
      headers: { origin },
    });
    const cookie = String(signedIn.headers.get('set-cookie')?.split(';')[0]);
    await call('DELETE /sessions/current', { token: null, headers: { origin, cookie } });
  });
  const actions = [
    'media.upload',
    'media.upload',
    'media.confirm',
    'posts.import',
    'sessions.create',
    'sessions.delete',
  ];
  expect(done.map(([action]) => action)).toEqual(actions);
  const [, , confirmed, lines, begun, ended] = done.map(([, subject]) => subject);
  expect([confirmed, lines, ended]).toEqual([issued.id, null, begun]);
  const [received] = (await list('workspace={workspace}')).filter((entry) => at(entry, 'action') === 'media.receive');
  expect([at(received, 'token'), at(received, 'subject')]).toEqual([null, issued.id]);
});

test('commands leave entries without a token, and the entries of a deleted workspace stay', async () => {
  const made = stringAt(await world.command(['workspace', 'create', '--name', 'Short']), 'id');
  const token = await world.tokenByCommand('short', made);
  await world.command(['token', 'revoke', token]);
  await world.command(['workspace', 'delete', made, '--yes']);
  const [ended, ...before] = await list(`workspace=${made}`);
  expect(ended).toMatchObject({ action: 'workspaces.deleted', subject: made, token: null, counts: { tokens: 1 } });
  const entries = [...before, ...(await list('')).filter((each) => at(each, 'subject') === token)];
  expect(entries.map((each) => [at(each, 'action'), at(each, 'token'), at(each, 'address')])).toEqual(
    ['workspaces.delete', 'workspaces.create', 'tokens.delete', 'tokens.create'].map((action) => [action, null, null]),
  );
});

test('operators’ changes are recorded with the id of the workspace, and a rotation with both token ids', async () => {
  const options = { token: 'operator' };
  const made = await world.call('POST /workspaces', { ...options, json: { name: 'Inn' } });
  const id = stringAt(made.json, 'data', 'id');
  const details = { name: 'picker', workspaces: [id], scopes: ['media:read'] };
  const issued = await world.call('POST /tokens', { ...options, json: details });
  const old = stringAt(issued.json, 'data', 'id');
  const rotated = await world.call(`POST /tokens/${old}/rotate`, { ...options, json: {} });
  await world.call(`DELETE /workspaces/${id}`, options);
  const isOf = (entry: unknown, action: string) => at(entry, 'action') === action;
  const subjects = (await list('')).filter((each) => isOf(each, 'tokens.rotate')).map((each) => at(each, 'subject'));
  expect(subjects.toSorted()).toEqual([old, stringAt(rotated.json, 'data', 'id')].toSorted());
  const entries = (await list(`workspace=${id}`)).filter((entry) => !isOf(entry, 'workspaces.deleted'));
  expect(entries.map((entry) => at(entry, 'action'))).toEqual(['workspaces.delete', 'workspaces.create']);
});

test('the audit log has filters, and shows the same entries as pages and as JSON lines, newest first', async () => {
  const query = `workspace=${world.ids.workspace}&token=${tokenId}&from=2026-01-01&to=2999-01-01T00:00:00Z`;
  const first = await world.call(`GET /audit?${query}&per_page=2`, { token: 'operator' });
  const pages = [...arrayAt(first.json, 'data'), ...(await list(`${query}&per_page=2&page=2`))];
  const headers = { authorization: `Bearer ${world.tokens.operator}`, accept: 'application/x-ndjson' };
  const answer = await fetch(`${world.server.url}/v1/audit?${query}`, { headers });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await answer.text()).trimEnd().split('\n');
  expect(lines.length).toBe(Number(at(first.json, 'meta', 'total')));
  expect(lines.slice(0, 4).map((line) => JSON.parse(line))).toEqual(pages);
  const times = lines.map((line) => stringAt(JSON.parse(line), 'at'));
  expect(times).toEqual(times.toSorted().toReversed());
  for (const none of ['token={unknown}', 'workspace={unknown}', 'to=2026-01-01', 'from=2999-01-01']) {
    world.ids.unknown = crypto.randomUUID();
    expect(await list(none)).toEqual([]);
  }
  for (const wrong of ['token=x', 'to=2026-01-01&to=2026-01-02', 'from=yesterday', 'from=2026-02-01&to=2026-01-01']) {
    expect((await world.call(`GET /audit?${wrong}`, { token: 'operator' })).status).toBe(422);
    expect((await fetch(world.fill(`${world.server.url}/v1/audit?${wrong}`), { headers })).status).toBe(422);
  }
  const refused = await fetch(`${world.server.url}/v1/audit`, {
    headers: { ...headers, authorization: `Bearer ${world.tokens.own}` },
  });
  expect(refused.status).toBe(403);
});

test('the JSON lines of the audit log contain all entries, but no names or secrets', async () => {
  const values = Array.from({ length: 1200 }, (_, n) => `('${crypto.randomUUID()}', ${Date.now() - n}, 'many.made')`);
  await world.database.change(`insert into audit (id, at, action) values ${values.join()}`);
  const headers = {
    authorization: `Bearer ${world.tokens.operator}`,
    accept: 'application/json, application/x-ndjson; charset=utf-8; q=0.9',
  };
  const text = await (await fetch(`${world.server.url}/v1/audit`, { headers })).text();
  expect(text.match(/many\.made/g)?.length).toBe(1200);
  for (const secret of ['Secret name', String(world.tokens.own), 'signature', 'no JSON'])
    expect(text).not.toContain(secret);
  // For a length, the whole log would have to be read.
  const { status, headers: sent } = await fetch(`${world.server.url}/v1/audit`, { method: 'HEAD', headers });
  expect([status, sent.get('content-type'), sent.get('content-length')]).toEqual([200, 'application/x-ndjson', null]);
});

test('the JSON lines of the audit log are cut off if the token is revoked while they are sent', async () => {
  const issued = await world.command(['token', 'create', '--operator']);
  const values = Array.from(
    { length: 100_000 },
    (_, n) => `('${crypto.randomUUID()}', ${Date.now() - n}, 'many.made')`,
  );
  await world.database.change(`insert into audit (id, at, action) values ${values.join()}`);
  const { hostname, port } = new URL(world.server.url);
  // The answer is larger than the buffers of an unread connection. `fetch` would read ahead, so the test uses a socket.
  const socket = connect(Number(port), hostname);
  const lines = ['GET /v1/audit HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${issued.token}`];
  socket.write(`${[...lines, 'Accept: application/x-ndjson', 'Connection: close'].join('\r\n')}\r\n\r\n`);
  const first = String((await once(socket, 'data'))[0]);
  socket.pause();
  expect(first).toStartWith('HTTP/1.1 200 ');
  await world.command(['token', 'revoke', stringAt(issued, 'id')]);
  await Bun.sleep(700);
  let last = '';
  socket.on('data', (data) => {
    last = (last + String(data)).slice(-100);
  });
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  // The answer lacks the last chunk (RFC 9112 section 7.1), so a client notices that it is incomplete.
  expect(last).not.toEndWith('\r\n0\r\n\r\n');
});

test('the last audit log entry survives a stop of the server', async () => {
  const id = await folder('Last');
  await world.server.end();
  await world.restart();
  expect((await list(`token=${tokenId}&per_page=1`)).map((entry) => at(entry, 'subject'))).toEqual([id]);
});
