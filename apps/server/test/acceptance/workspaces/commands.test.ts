import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { jpeg } from '../support/fixtures.ts';
import { arrayAt, stringAt } from '../support/reply.ts';
import { command } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.openAlone();
});
afterAll(() => world.close());

const run = (...args: readonly string[]) => command(args, world.server.settings);
const json = (...args: readonly string[]) => world.command(args);

/**
 * Creates a workspace with two images, a system folder, a profile, posts and a presigned upload. Its token is
 * also valid for the world's workspace.
 */
async function fill(posts: number) {
  const id = stringAt(await json('workspace', 'create', '--name', 'Doomed', '--system-folder', 'Inbox'), 'id');
  const both = ['--workspace', id, '--workspace', String(world.ids.workspace)];
  const token = stringAt(await json('token', 'create', ...both), 'token');
  const profile = stringAt(await json('profile', 'create', '--workspace', id, '--name', 'P', '--network', 'x'), 'id');
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${world.server.url}/v1/workspaces/${id}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
  const body = new FormData();
  for (const name of ['a.jpg', 'b.jpg']) body.append('files[]', new Blob([Buffer.from(jpeg())]), name);
  const stored = await call('/media_contents', { method: 'POST', body });
  const links = arrayAt(await stored.json(), 'data').map((item) => stringAt(item, 'link'));
  const files = [{ name: 'c.jpg', size: 5, mime: 'image/jpeg' }];
  const headers = { 'content-type': 'application/json' };
  const issued = await call('/media_contents/presign', { method: 'POST', headers, body: JSON.stringify({ files }) });
  const lines = Array.from({ length: posts }, (_, number) =>
    JSON.stringify({ profile, external_id: `p${number}`, published_at: '2026-01-02T03:04:05Z', metrics: { likes: 1 } }),
  );
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const imported = await call('/posts/import', { method: 'POST', headers: ndjson, body: lines.join('\n') });
  await imported.text();
  expect([stored.status, issued.ok, imported.ok]).toEqual([201, true, true]);
  const status = async (path: string): Promise<number> => (await call(path)).status;
  return { id, token, links, profile, status };
}

const held = { trash: 0, trash_bytes: 0, media: 3, folders: 1, profiles: 1, tokens: 1, bytes: expect.any(Number) };

describe('workspace delete', () => {
  test('shows what would be deleted, and with --yes deletes it with links and objects while the service runs', async () => {
    const before = await world.files();
    const { id, token, links, status } = await fill(3);
    const [shown, json] = await Promise.all([run('workspace', 'delete', id), run('workspace', 'delete', id, '--json')]);
    expect({ code: shown.code, stdout: shown.stdout }).toEqual({ code: 1, stdout: '' });
    expect(shown.stderr).toMatch(
      /\(Doomed\) holds 3 media items \([\d,]+ bytes\), 0 in the trash \(0 bytes\), 1 folder, 1 profile, 3 posts and the access of 1 token: pass --yes/,
    );
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ id, holds: { ...held, posts: 3 } });
    expect(await status('/media_contents')).toBe(200);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    expect(await world.command(['workspace', 'delete', id, '--yes'])).toEqual({
      id,
      deleted: { ...held, posts: 3 },
      removed: expect.objectContaining({ rows: 8, objects: 2, tokens: 0, sessions: 0 }),
      left_over: [],
    });
    for (const path of ['/media_contents', '/posts', '/profiles']) expect(await status(path)).toBe(404);
    for (const link of links) expect((await fetch(link)).status).toBe(404);
    await world.untilFilesAre(before);
    // The token is still valid for its other workspace.
    expect((await world.call('GET /workspaces/{workspace}/media_contents', { token })).status).toBe(200);
    expect((await run('workspace', 'list')).stdout).not.toContain(id);
    const again = await run('workspace', 'delete', id, '--yes');
    expect({ code: again.code, stderr: again.stderr }).toEqual({
      code: 1,
      stderr: `postshelf: There is no workspace ${id}.\n`,
    });
  });

  test('hides the workspace even if it is killed half-way, and gc deletes the rest', async () => {
    const before = await world.files();
    const { id, links, status } = await fill(30_000);
    // The service is stopped, because it would otherwise continue the removal.
    await world.server.end();
    const { command: start, cwd, environment } = world.server.program;
    const deleting = Bun.spawn([...start, 'workspace', 'delete', id, '--yes'], {
      cwd,
      env: { ...environment, ...world.server.settings },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const begun = `select 1 from workspaces where id = '${id}' and removal_begun_at is not null`;
    await until('the removal has started', async () => (await world.database.column(begun)).length > 0);
    deleting.kill('SIGKILL');
    await deleting.exited;
    expect((await run('workspace', 'list')).stdout).not.toContain(id);
    expect((await run('token', 'create', '--workspace', id)).code).toBe(2);
    const left = await run('workspace', 'delete', id);
    expect(left.stderr).toContain('(half deleted) holds 3 media items');
    await world.restart();
    for (const link of links) expect((await fetch(link)).status).toBe(404);
    expect(await status('/media_contents')).toBe(404);
    await json('gc');
    expect((await run('workspace', 'delete', id)).stderr).toContain('There is no workspace');
    await world.untilFilesAre(before);
  });
});

describe('workspace update', () => {
  test('changes the name and the time zone for the running service', async () => {
    const id = stringAt(await json('workspace', 'create', '--name', 'Before'), 'id');
    const changed = await json('workspace', 'update', id, '--name', ' After ', '--timezone', 'Asia/Kathmandu');
    expect(changed).toMatchObject({ id, name: 'After', timezone: 'Asia/Kathmandu' });
    expect((await run('workspace', 'list')).stdout).toMatch(new RegExp(`${id} +After +Asia/Kathmandu`));
    expect(await run('workspace', 'update', id)).toMatchObject({
      code: 2,
      stderr:
        'postshelf: Specify what to change: --name, --timezone, --system-folder, --strip-location, --max-bytes, --max-items, --links.\n',
    });
    expect((await run('workspace', 'update', id, '--timezone', 'Mars')).code).toBe(2);
    const unknown = await run('workspace', 'update', String(world.ids.unknown), '--name', 'X');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('profile commands', () => {
  test('create, list, update and delete profiles', async () => {
    const { id, profile, status } = await fill(1);
    const made = await json('profile', 'create', '--workspace', id, '--name', ' Beach ', '--network', 'instagram');
    expect(made).toMatchObject({ workspace: id, name: 'Beach', network: 'instagram' });
    const changed = await json('profile', 'update', stringAt(made, 'id'), '--network', 'tiktok');
    expect(changed).toMatchObject({ id: made.id, name: 'Beach', network: 'tiktok' });
    const { data } = await json('profile', 'list', '--workspace', id);
    expect(data).toEqual([changed, expect.objectContaining({ id: profile })]);
    expect((await run('profile', 'update', stringAt(made, 'id'))).code).toBe(2);
    const refused = await run('profile', 'delete', profile);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: 'postshelf: The profile has posts.\n' });
    expect(await json('profile', 'delete', stringAt(made, 'id'))).toEqual({ id: made.id });
    expect((await run('profile', 'delete', stringAt(made, 'id'))).code).toBe(1);
    expect(await status('/profiles')).toBe(200);
  });
});
