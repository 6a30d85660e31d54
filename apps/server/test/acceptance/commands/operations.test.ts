// Some commands are generated from the API's operations. These tests run them while the service is running.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { command } from '../support/server.ts';
import { World } from '../support/world.ts';

let world: World;
let workspace: string;

beforeAll(async () => {
  world = await World.openAlone();
  workspace = String(world.ids.workspace);
  await world.operator();
});

afterAll(() => world.close());

const run = (...args: readonly string[]) => command(args, world.server.settings);

const unknown = '01890000-0000-7000-8000-000000000000';

const refused = async (code: number, stderr: string, ...args: readonly string[]): Promise<void> =>
  expect(await run(...args)).toEqual({ code, stdout: '', stderr: `postshelf: ${stderr}\n` });

test('commands create, list, update and delete folders of a running service', async () => {
  const made = await world.command(['folder', 'create', '--workspace', workspace, '--name', ' Summer ']);
  expect(made).toMatchObject({ name: 'Summer', parent_id: null, version: 1 });
  const id = stringAt(made, 'id');
  const inside = await run('folders', 'create', '--workspace', workspace, '--name', 'Inside', '--parent-id', id);
  expect(inside.stdout).toMatch(
    new RegExp(`^The folder was created\\.\nid: .*\nname: Inside\nparent_id: ${id}\nversion: 1\n$`),
  );
  const listed = await run('folders', 'list', '--workspace', workspace);
  expect(listed.stdout).toMatch(/^ID +NAME +PARENT ID +IS SYSTEM\n/);
  expect(await world.command(['folder', 'list', '--workspace', workspace, '--parent-id', id])).toEqual({
    data: [expect.objectContaining({ name: 'Inside' })],
  });
  const page = await world.command(['folder', 'list', '--workspace', workspace, '--per-page', '1', '--page', '2']);
  expect([arrayAt(page, 'data').length, at(page, 'meta', 'last_page')]).toEqual([1, 2]);
  const change = ['folder', 'update', id, '--name', 'Autumn', '--if-match', '1'];
  expect(await world.command(change)).toMatchObject({ id, name: 'Autumn', version: 2 });
  await refused(1, 'Someone else has changed it; its version is now 2.', ...change);
  const shown = await world.call(`GET /media_library/folders/${id}`);
  expect(at(shown.json, 'data', 'name')).toBe('Autumn');
  await refused(2, 'The folder is not empty.', 'folder', 'delete', id);
  for (const one of [inside.stdout.match(/^id: (.*)$/m)?.[1] ?? '', id]) {
    expect(await world.command(['folder', 'delete', one])).toEqual({ id: one });
  }
  await refused(1, `There is no folder ${id}.`, 'folder', 'delete', id);
});

test('all pages of a list are printed, with their columns aligned', async () => {
  const parent = await world.folder('Many');
  const names = Array.from({ length: 101 }, (_, number) => `Folder ${number}`);
  for (const name of names) await world.folder(name, parent);
  const list = ['folder', 'list', '--workspace', workspace, '--parent-id', parent];
  const { data } = await world.command(list);
  expect((data as readonly unknown[]).map((each) => at(each, 'name')).sort()).toEqual(names.toSorted());
  const lines = (await run(...list)).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(102);
  expect(new Set(lines.map((line) => line.search(/PARENT ID|\S+ {2}(?=true|false)/))).size).toBe(1);
});

test('commands create a webhook with a secret, and update, test and delete it', async () => {
  const types = ['--type', 'media.active', '--type', 'media.failed'];
  const url = 'https://example.com/hook';
  const made = await world.command(['webhooks', 'create', '--workspace', workspace, '--url', url, ...types]);
  expect(made).toMatchObject({ workspace, url, types: ['media.active', 'media.failed'], enabled: true });
  expect(made.secret).toStartWith('whsec_');
  const id = stringAt(made, 'id');
  expect(await world.command(['webhook', 'update', id, '--no-enabled', '--type', 'none'])).toMatchObject({
    workspace,
    types: null,
    enabled: false,
  });
  await refused(2, 'The webhook is disabled.', 'webhook', 'test', id);
  await world.command(['webhook', 'update', id, '--enabled']);
  expect(await world.command(['webhook', 'test', id])).toMatchObject({ event: { type: 'webhook.test' } });
  expect((await run('webhook', 'deliveries', id)).stdout).toMatch(/^ID +EVENT TYPE +STATUS +ATTEMPTS/);
  expect((await run('webhook', 'delete', id)).stdout).toBe('Deleted webhook.\n');
  await refused(1, `There is no webhook ${id}.`, 'webhook', 'get', id);
});

test('one page of a list is printed with the same columns as the whole list', async () => {
  const rows = async (...more: string[]) =>
    (await run('workspace', 'list', ...more)).stdout.split('\n').map((line) => line.split(/ {2,}/).length);
  expect(await rows('--page', '1')).toEqual(await rows());
  expect((await run('workspace', 'list', '--per-page', '1')).stdout).not.toContain('NaN');
});

test('the trash is emptied only with --yes', async () => {
  const trash = ['trash', 'empty', '--workspace', workspace] as const;
  await refused(1, 'Everything in the trash would be deleted permanently: pass --yes.', ...trash);
  expect((await run(...trash, '--yes')).code).toBe(0);
});

test('commands update and delete media, and restore them from the trash', async () => {
  const { id } = await world.storeOne(file('harbour.jpg', jpeg()));
  const changed = await world.command([
    ...['media', 'update', id, '--name', 'harbour', '--tag', 'sea', '--tag', 'boat', '--focus', '{"x":0.25,"y":0.5}'],
  ]);
  expect(changed).toMatchObject({ id, name: expect.stringContaining('harbour'), version: 2 });
  expect(await world.command(['media', 'get', id, '--include', 'details'])).toMatchObject({
    details: { tags: ['sea', 'boat'], focus: { x: 0.25, y: 0.5 } },
  });
  expect((await world.command(['media', 'list', '--workspace', workspace, '--tag', 'sea'])).data).toHaveLength(1);
  await world.command(['media', 'delete', id]);
  expect((await run('trash', 'list', '--workspace', workspace)).stdout).toMatch(new RegExp(`\n${id} +harbour`));
  await refused(1, `There is no media item ${id}.`, 'media', 'get', id);
  expect(await world.command(['trash', 'restore', id])).toMatchObject({ id });
});

test('a command leaves an audit log entry without a token, person or address', async () => {
  const { id } = await world.command(['calendar', 'create', '--workspace', workspace, '--count', '3']);
  const listed = await world.command(['audit', 'list', '--workspace', workspace]);
  const entry = arrayAt(listed, 'data').find((each) => at(each, 'subject') === id);
  expect(entry).toMatchObject({ action: 'calendars.create', token: null, person: null, address: null });
});

test('a command leaves an audit log entry even if nothing reads its output', async () => {
  const args = [...program.command, 'folder', 'create', '--workspace', workspace, '--name', 'Unread'];
  const environment = { ...program.environment, ...world.server.settings };
  const shell = Bun.spawn(['sh', '-c', '"$@" | exec true', 'sh', ...args], { cwd: program.cwd, env: environment });
  await shell.exited;
  const { data } = await world.command(['folder', 'list', '--workspace', workspace]);
  const made = (data as readonly unknown[]).find((each) => at(each, 'name') === 'Unread');
  const { data: done } = await world.command(['audit', 'list', '--workspace', workspace]);
  expect(done).toContainEqual(expect.objectContaining({ action: 'folders.create', subject: at(made, 'id') }));
});

test('token create accepts a workspace twice, and token revoke can revoke all tokens of a workspace', async () => {
  const { id } = await world.command(['workspace', 'create', '--name', 'Old']);
  const create = ['token', 'create', '--workspace', String(id), '--workspace', String(id)];
  await world.command([...create, '--scope', 'media:read', '--scope', 'media:read']);
  expect(await world.command(['token', 'revoke', '--workspace', String(id)])).toEqual({ revoked: 1 });
  expect(await world.command(['token', 'revoke', '--workspace', unknown])).toEqual({ revoked: 0 });
  await refused(1, 'There is no workspace typo.', 'token', 'revoke', '--workspace', 'typo');
});

test('an operator’s token cannot have control characters in its name', () =>
  refused(
    2,
    '--name "Night\\nshift": The name field must not contain control characters.',
    ...['token', 'create', '--operator', '--name', 'Night\nshift'],
  ));

test('an empty --tag removes all tags', async () => {
  const { id } = await world.storeOne(file('boat.jpg', jpeg()));
  await world.command(['media', 'update', id, '--tag', 'sea']);
  await world.command(['media', 'update', id, '--tag', '']);
  expect(await world.command(['media', 'get', id, '--include', 'details'])).toMatchObject({ details: { tags: [] } });
});

test('network rules and best times are printed as tables', async () => {
  expect((await run('network', 'list')).stdout).toMatch(
    /^RULE +LIMIT +UNIT +SEVERITY +CHECKED ON\ninstagram\.feed\.type /,
  );
  const { stdout } = await run('analytics', 'best-times', '--workspace', workspace);
  expect(stdout).toMatch(/^DAY( +\d+){24}\nSunday( +\d+){24}\n(?:.*\n)*evidence: none\n$/);
});

test('commands list, rotate and revoke an operator’s token', async () => {
  const made = await world.command(['token', 'create', '--operator', '--name', 'Night shift']);
  expect((await run('token', 'list')).stdout).toContain('Night shift');
  const rotated = await world.command(['tokens', 'rotate', stringAt(made, 'id')]);
  expect(Object.keys(rotated)).toEqual(['token', 'id', 'expires_at']);
  expect(await world.command(['token', 'revoke', '--name', 'Night shift'])).toEqual({ revoked: 1 });
});

describe('an invalid command', () => {
  test.each([
    [
      ['workspace', 'create', '--name', 'X', '--max-bytes', '-1'],
      2,
      '--max-bytes -1: The max bytes field must be a whole number of at least 0.',
    ],
    [['link', 'create', unknown, '--expires-in', 'soon'], 2, '--expires-in soon is not a duration such as 12h or 90d.'],
    [['media', 'update', unknown, '--focus', '{x'], 2, '--focus "{x" is not JSON.'],
    [['folder', 'update', unknown], 2, 'Specify what to change: --name, --parent-id.'],
    [['folder', 'list', '--workspace', unknown], 1, `There is no workspace ${unknown}.`],
    [['people', 'remove', 'nobody'], 1, 'There is no person nobody.'],
    [['trash', 'restore', unknown], 1, `There is no item in the trash ${unknown}.`],
  ])('%j exits with code %d', async (args, code, message) => {
    const { stdout, stderr, ...ended } = await run(...args);
    expect({ ...ended, stdout, stderr: stderr.split('\n')[0] }).toEqual({
      code,
      stdout: '',
      stderr: `postshelf: ${message}`,
    });
  });

  test('names the option in its message, and the field in JSON', async () => {
    const args = ['webhook', 'create', '--workspace', workspace, '--url', 'ftp://x', '--type', 'media.lost'];
    const told = await run(...args);
    expect(told.stderr).toMatch(/--url ftp:\/\/x: .* --type media\.lost: /);
    const { code, stdout } = await run(...args, '--json');
    expect(code).toBe(2);
    expect(Object.keys(JSON.parse(stdout).errors).sort()).toEqual(['types.0', 'url']);
  });
});
