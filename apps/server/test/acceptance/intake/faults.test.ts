// These tests run `postshelf import` while something else fails.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mayDropPrivileges, programWithoutPrivileges } from '../faults/support/rights.ts';
import { onSqlite } from '../support/database.ts';
import { sized } from '../support/long.ts';
import { at } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { allItems, fill, picture, put, TakingIn } from './support/taking-in.ts';

let world: World;
let home: string;
let source: string;
let taking: TakingIn;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

beforeEach(() => {
  if (home) removeFolder(home);
  home = scratchFolder();
  source = join(home, 'source');
  mkdirSync(source);
  taking = new TakingIn(world, source, join(home, 'report.csv'));
});

const messageOf = async (...run: Parameters<TakingIn['run']>): Promise<unknown> => {
  const { code, json } = await taking.run(...run);
  expect(code).toBe(1);
  return at(json, 'message');
};

test('postshelf import fails with a reason for a wrong token, workspace or source', async () => {
  put(source, 'a.png', picture(1));
  expect(await messageOf([], { token: 'nonsense' })).toBe(
    `${world.server.url}: The service refuses the token in POSTSHELF_TOKEN.`,
  );
  await world.token('reader', '{workspace}', ['--scope', 'media:read', '--scope', 'media:write']);
  expect(await messageOf(['--folders'], { token: 'reader' })).toBe(
    'The token lacks the scope folders:read and folders:write.',
  );
  expect(await messageOf(['--workspace', String(world.ids.foreign)])).toStartWith(
    `The token has no access to the workspace ${world.ids.foreign}. It has access to: ${world.ids.workspace} (`,
  );
  expect(await taking.run([], { token: '' })).toMatchObject({
    code: 1,
    json: { message: expect.stringContaining('POSTSHELF_TOKEN: is missing') },
  });
  expect(await new TakingIn(world, join(home, 'none'), taking.report).run()).toMatchObject({ code: 1 });
  rmSync(join(source, 'a.png'));
  expect(await messageOf()).toStartWith('There are no files in ');
  expect(existsSync(join(source, 'report.csv'))).toBe(false);
});

test('postshelf import stops when the workspace is full, and continues when it is repeated with space', async () => {
  const before = (await allItems(world)).length;
  const limit = (number: string) =>
    world.command(['workspace', 'update', String(world.ids.workspace), '--max-items', number]);
  fill(source, 20);
  await limit(String(before + 5));
  try {
    expect(await messageOf()).toBe(
      `The workspace's storage is full. 5 files are in the library; repeat the command to go on (${taking.report}).`,
    );
    await limit('none');
    expect(await taking.run()).toMatchObject({ code: 0, json: { imported: 15, earlier: 5 } });
  } finally {
    await limit('none');
  }
});

test('postshelf import reports files that cannot be read, and imports the others', async () => {
  if (!mayDropPrivileges('files that may not be read')) return;
  for (const number of [1, 2]) put(source, `${number}.png`, picture(1000 + number));
  put(source, 'closed/3.png', picture(1003));
  chmodSync(join(source, '1.png'), 0);
  chmodSync(join(source, 'closed'), 0);
  try {
    const { code, json } = await taking.run([], { program: programWithoutPrivileges });
    expect({ code, json }).toMatchObject({ code: 1, json: { imported: 1, refused: 2 } });
    for (const path of ['1.png', 'closed'])
      expect(taking.row(path)).toMatchObject({ status: 'refused', reason: 'Postshelf has no permission to read it.' });
  } finally {
    chmodSync(join(source, 'closed'), 0o755);
  }
});

test('postshelf import waits for a service that restarts', async () => {
  const files = sized(120, 1000);
  for (let n = 0; n < files; n += 1) put(source, `${n}.png`, picture(20_000 + n));
  const running = taking.start();
  const done = (): number =>
    existsSync(taking.report) ? readFileSync(taking.report, 'utf8').split(',imported,').length - 1 : 0;
  await until('some files are imported', () => done() > 10);
  await world.server.end('SIGKILL');
  const [atKill] = [done()];
  await until('it waits', () => running.stderr().includes('waiting: '));
  await world.restart();
  expect(await running.exited).toBe(0);
  running.forget();
  expect(atKill).toBeLessThan(files);
  expect(taking.rows().filter(({ status }) => status === 'imported')).toHaveLength(files);
  expect(new Set(taking.rows().map(({ media_id }) => media_id)).size).toBe(files);
});

test('postshelf import survives lost responses, and waits if the service asks it to', async () => {
  const files = 40;
  for (let n = 0; n < files; n += 1) put(source, `${n % 7}/${n}.png`, picture(30_000 + n));
  let requests = 0;
  await using proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ method, headers, url, body }) {
      requests += 1;
      if (requests === 1) return refuse(503);
      if (requests % 23 === 3) return refuse(429);
      if (requests % 23 === 9) return refuse(503);
      const answer = await pass();
      return requests % 23 === 15 ? new Response('<h1>Bad Gateway</h1>', { status: 502 }) : answer;

      function pass(): Promise<Response> {
        const { pathname, search } = new URL(url);
        return fetch(world.server.url + pathname + search, { method, headers, body });
      }
    },
  });
  const refuse = (status: number): Response =>
    Response.json({ message: 'Not now.' }, { status, headers: { 'retry-after': '1' } });
  const POSTSHELF_URL = `http://127.0.0.1:${proxy.port}`;
  const { code, stderr, json } = await taking.run(['--folders'], { settings: { POSTSHELF_URL } });
  expect({ code, json }).toMatchObject({ code: 0, json: { refused: 0 } });
  expect(stderr).toContain('waiting: Not now.');
  expect(taking.rows()).toHaveLength(files);
  expect(new Set(taking.rows().map(({ media_id }) => media_id)).size).toBe(files);
  const hashes = new Set(taking.rows().map(({ sha256 }) => sha256));
  const items = (await allItems(world)).filter((item) => hashes.has(String(at(item, 'details', 'sha256'))));
  expect(items).toHaveLength(files);
});

test('postshelf import fails if the library was moved and is read-only', async () => {
  const moved = await World.openAlone(onSqlite);
  try {
    await moved.server.end();
    const target = `sqlite:${join(moved.dataDir, 'target.db')}`;
    await moved.command(['copy', '--from', `sqlite:${join(moved.dataDir, 'postshelf.db')}`, '--to', target]);
    await moved.restart();
    put(source, 'a.png', picture(1));
    const { code, json } = await new TakingIn(moved, source, taking.report).run();
    expect({ code, message: at(json, 'message') }).toEqual({ code: 1, message: expect.stringContaining('read-only') });
  } finally {
    await moved.close();
  }
});
