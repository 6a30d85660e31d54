import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeDatabase,
  type RealPostgres,
  realPostgres,
  runSql,
  type TestDatabase,
} from '@postshelf/testing/servers/postgres';
import { onSqlite } from '../support/database.ts';
import { command, freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { expectKept, expectReads, makeFolder, upload } from './support/requests.ts';
import { mayDropPrivileges, programWithoutPrivileges } from './support/rights.ts';
import { DATABASE, expectNotReady, expectReady, expectUnavailable } from './support/unavailable.ts';

const server = await realPostgres('PostgreSQL that accepts no writes');

/** The single line on standard error of a start that fails. */
async function refusal(world: World): Promise<string> {
  const settings = { ...world.server.settings, PORT: String(await freePort()) };
  const { code, stderr } = await command(['serve'], settings, world.server.program);
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
}

/** Expects writes to be refused with well-formed answers, and reads to work. */
async function expectReadOnly(world: World, stored: MediaItem, token: string): Promise<void> {
  const replies = await Promise.all([
    upload(world),
    makeFolder(world),
    world.call(`DELETE /media_contents/${stored.id}`),
    world.call(`PATCH /media_contents/${stored.id}`, { json: { label: 'New' } }),
  ]);
  for (const reply of replies) expectUnavailable(reply, DATABASE);
  await expectReads(world, stored, token);
  await expectNotReady(world);
}

describe.skipIf(!server)('writes return 503 while PostgreSQL', () => {
  const real = server as RealPostgres;
  const role = `app_${crypto.randomUUID().replaceAll('-', '')}`;
  const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`;
  let database: TestDatabase;
  let world: World;
  let stored: MediaItem;

  beforeAll(async () => {
    database = await makeDatabase(real);
    await runSql(database.url, `create role ${role} login password 'secret'`);
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'secret' });
    const folder = scratchFolder();
    expect((await command(['migrate'], { DATABASE_URL: database.url, DATA_DIR: folder })).code).toBe(0);
    removeFolder(folder);
    await runSql(database.url, grant);
    world = await World.openAlone({ ...onDisk, DATABASE_URL: url.href });
    [stored] = mediaItems(await upload(world)) as [MediaItem];
    for (const name of ['select', 'standby']) await world.token(name, '{workspace}');
  });
  afterAll(async () => {
    await world.close();
    await database.remove();
    await runSql(real.url, `drop role ${role}`);
  });

  test('grants only reads, and the log names the missing privilege', async () => {
    await runSql(database.url, `revoke insert, update, delete on all tables in schema public from ${role}`);
    await expectReadOnly(world, stored, 'select');
    expect(world.server.log()).toContain('SQLSTATE 42501');
    expect(world.server.log()).toContain(grant);
    expect(await refusal(world)).toContain(grant);
    await runSql(database.url, grant);
    await expectReady(world);
    await expectKept(world, [stored, ...mediaItems(await upload(world))]);
  });

  test.skipIf(!server?.server)('is a standby, until it becomes the primary', async () => {
    await real.server?.demote();
    try {
      await expectReadOnly(world, stored, 'standby');
      const message =
        'cannot set transaction read-write mode during recovery (SQLSTATE 0A000); DATABASE_URL must point to';
      expect(world.server.log()).toContain(message);
      expect(await refusal(world)).toContain(message);
    } finally {
      await real.server?.promote();
    }
    await expectReady(world);
    await expectKept(world, [stored, ...mediaItems(await upload(world))]);
  });
});

const canDrop = mayDropPrivileges('a database that becomes read-only');
test.skipIf(!canDrop)("/ready and the next start name SQLite's file or folder if it becomes read-only", async () => {
  const world = await World.open({ ...onSqlite, ...onDisk }, [], { program: programWithoutPrivileges, servers: 1 });
  const file = join(world.dataDir, 'postshelf.db');
  try {
    for (const [path, taken, given] of [
      [file, 0o400, 0o600],
      [world.dataDir, 0o500, 0o700],
    ] as const) {
      chmodSync(path, taken);
      await expectNotReady(world);
      await until('the reason is logged', () => world.server.log().includes(`${path} cannot be written to`));
      chmodSync(path, given);
      await expectReady(world);
    }
    await world.server.end();
    chmodSync(file, 0o400);
    expect(await refusal(world)).toContain(file);
    chmodSync(file, 0o600);
    await world.restart();
    await expectReady(world);
  } finally {
    chmodSync(world.dataDir, 0o700);
    await world.close();
  }
});
