// These tests remove a workspace while the service is killed repeatedly, and while clients use other workspaces.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostshelfClient } from '@postshelf/client';
import { onSqlite } from '../support/database.ts';
import { jpeg } from '../support/fixtures.ts';
import { endJobLeases } from '../support/leases.ts';
import { sized } from '../support/long.ts';
import { stringAt } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';

const ITEMS = sized(2_000, 100_000);
const KILLS = sized(2, 5);

/** The longest time in milliseconds that other clients may wait for a page. */
const WAIT = sized(1_000, 250);

let world: World;

beforeAll(async () => {
  world = await World.openAlone({ ...onSqlite, ...onDisk, LOG_FORMAT: 'json' });
  await world.operator();
});

afterAll(() => world.close());

test('a deleted workspace is hidden immediately, and removed with its files and tokens despite kills', async () => {
  const before = await world.files();
  const made = await world.call('POST /workspaces', { token: 'operator', json: { name: 'Large' } });
  const workspace = stringAt(made.json, 'data', 'id');
  const own = `/workspaces/${workspace}/media_contents`;
  await world.token('only', workspace);
  await world.token('both', workspace, ['--workspace', String(world.ids.workspace)]);
  const client = createPostshelfClient({ baseUrl: world.server.url, token: String(world.tokens.only) });
  const [item] = await client.upload(workspace, [{ name: 'a.jpg', data: new Blob([Buffer.from(jpeg())]) }]);
  if (!item) throw new Error('There is no item.');
  const { link, full_name: fullName } = item;
  await multiply(fullName);
  expect((await fetch(link)).status).toBe(200);

  using stopwatch = startStopwatch();
  expect((await world.call(`DELETE /workspaces/${workspace}`, { token: 'operator' })).status).toBe(202);
  for (const send of [`GET /workspaces/${workspace}`, `DELETE /workspaces/${workspace}`])
    expect((await world.call(send, { token: 'operator' })).status).toBe(404);
  expect((await fetch(link)).status).toBe(404);
  const statuses = [
    ['only', '/me'],
    ['both', '/me'],
    ['both', own],
  ] as const;
  for (const [nth, [token, path]] of statuses.entries())
    expect((await world.call(`GET ${path}`, { token })).status).toBe([401, 200, 404][nth] as number);

  let longest = 0;
  const ask = async (): Promise<void> => {
    using waiting = startStopwatch();
    expect((await world.call('GET /workspaces/{workspace}/media_contents')).status).toBe(200);
    longest = Math.max(longest, waiting.elapsed());
    await Bun.sleep(20);
  };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const max = ITEMS * (1 - kill / (KILLS + 1));
    await until('some of it is removed', async () => {
      await ask();
      return (await itemsLeft()) < max;
    });
    expect(await itemsLeft()).toBeGreaterThan(0);
    await world.server.end('SIGKILL');
    await world.restart();
    await endJobLeases(world);
  }
  await until('the workspace is removed', async () => {
    await ask();
    return (await world.database.column('select 1 from removals where ended_at is not null')).length > 0;
  });
  process.stdout.write(
    `removed ${ITEMS} items in ${Math.round(stopwatch.passed())} ms; others waited ${Math.round(longest)} ms at most\n`,
  );
  expect(longest).toBeLessThan(WAIT);
  const [counts = '{}'] = await world.database.column('select counts from removals');
  expect(JSON.parse(counts)).toMatchObject({ rows: ITEMS, objects: ITEMS, tokens: 1 });
  // Removes files that are left because the service was killed right after it deleted their rows.
  await world.run(['gc', '--older-than', '0s', '--yes-really']);
  await world.untilFilesAre(before);

  async function itemsLeft(): Promise<number> {
    const [count] = await world.database.column(`select count(*) from media where workspace_id = '${workspace}'`);
    return Number(count);
  }
});

/** Copies an item until there are `ITEMS` of them. Each copy has its own file with the same content. */
async function multiply(fullName: string): Promise<void> {
  await world.database.change(`
    insert into media (id, workspace_id, name, full_name, search_key, created_at, updated_at, status, type, size, width, height)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ITEMS - 1})
    select substr(id, 1, 24) || substr('00000000000' || i, length('00000000000' || i) - 11), workspace_id, name,
      full_name || i, search_key, created_at, updated_at, status, type, size, width, height
    from media, n where full_name = '${fullName}'`);
  const file = join(world.dataDir, 'media', fullName);
  for (let nth = 1; nth < ITEMS; nth += 1) copyFileSync(file, `${file}${nth}`);
}
