import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { leftovers } from '../imports/support/imports.ts';
import { onSqlite } from '../support/database.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { startStopwatch } from '../support/until.ts';
import { World } from '../support/world.ts';
import { descriptorsIn, untilHeld } from './support/held.ts';
import { expectKept, expectReads, makeFolder, upload } from './support/requests.ts';
import { DATABASE, expectNotReady, expectReady, expectUnavailable, STORAGE } from './support/unavailable.ts';

/** Maximum milliseconds until an answer: a write waits up to 5 s for the lock, and the rest is a margin. */
const TIMEOUT = 9_000;

let world: World;
let file: string;
let stored: MediaItem;

beforeAll(async () => {
  // This world always uses SQLite, even if the suite runs with PostgreSQL.
  world = await World.openAlone({ ...onSqlite, ...onDisk });
  file = join(world.dataDir, 'postshelf.db');
  [stored] = mediaItems(await upload(world)) as [MediaItem];
  for (const name of ['locked', 'moved', 'replaced']) await world.token(name, '{workspace}');
});
afterAll(() => world.close());

test('while another process locks SQLite, reads work and writes are refused in time', async () => {
  const held = descriptorsIn(world.server.pid, world.dataDir);
  const other = new Database(file);
  // The service may still be writing shortly after its start, so this connection waits for the lock.
  other.run('pragma busy_timeout = 60000');
  other.run('begin exclusive');
  using stopwatch = startStopwatch();
  const writing = Promise.all([makeFolder(world), upload(world), makeFolder(world)]);
  await expectReads(world, stored, 'locked');
  await expectReady(world);
  expect(stopwatch.elapsed()).toBeLessThan(TIMEOUT / 2);
  for (const reply of await writing) expectUnavailable(reply, DATABASE);
  expect(stopwatch.elapsed()).toBeLessThan(TIMEOUT);
  const late = makeFolder(world);
  other.run('rollback');
  other.close();
  expect((await late).status).toBe(201);
  await expectKept(world, [stored, ...mediaItems(await upload(world))]);
  await world.run(['gc']);
  expect(await leftovers(world)).toEqual([]);
  await untilHeld(world.server.pid, world.dataDir, held);
});

test('moving DATA_DIR away and back loses no acknowledged data', async () => {
  const away = `${world.dataDir}-away`;
  renameSync(world.dataDir, away);
  expectUnavailable(await upload(world), STORAGE);
  expectUnavailable(await makeFolder(world), DATABASE);
  await expectNotReady(world);
  const known = await world.call(`GET /media_contents/${stored.id}`, { token: 'moved' });
  expect(known.status).toBe(200);
  expect((await fetch(stored.link)).status).toBe(503);
  renameSync(away, world.dataDir);
  await expectReady(world);
  expect((await makeFolder(world)).status).toBe(201);
  await expectKept(world, [stored, ...mediaItems(await upload(world))]);
  expect(await leftovers(world)).toEqual([]);
});

test("writes are refused while SQLite's file is replaced by another", async () => {
  renameSync(file, `${file}.before`);
  copyFileSync(`${file}.before`, file);
  expectUnavailable(await upload(world), DATABASE);
  expectUnavailable(await makeFolder(world), DATABASE);
  await expectReads(world, stored, 'replaced');
  await expectNotReady(world);
  renameSync(`${file}.before`, file);
  await expectReady(world);
  expect((await makeFolder(world)).status).toBe(201);
  await expectKept(world, [stored, ...mediaItems(await upload(world))]);
  await world.run(['gc']);
  expect(await leftovers(world)).toEqual([]);
});

test('a truncated SQLite file causes well-formed 500 responses, and the process survives', async () => {
  // Stopping the service moves all rows from the write-ahead log to the database file, so that truncating this file
  // removes all rows.
  await world.server.end();
  await world.restart();
  truncateSync(file, 0);
  // SQLite may still answer from its cache. Otherwise, the status is 500 and not 503, because the damage isn't
  // temporary.
  for (let round = 0; round < 3; round += 1) {
    for (const reply of [await makeFolder(world), await world.call(`GET /media_contents/${stored.id}`)]) {
      expect([200, 201, 500]).toContain(reply.status);
      if (reply.status === 500) expect(reply.json).toEqual({ message: 'Server error.' });
      if (reply.status === 500) expectErrorShape(reply);
    }
  }
  await expectNotReady(world);
  expect(await world.server.end()).toBe(0);
});
