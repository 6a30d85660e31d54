import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { AuditEntry } from '@postshelf/domain';
import { AuditLog, type Recorded } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

let world: World;
const failures: number[] = [];
const logs: AuditLog[] = [];

afterEach(async () => {
  // The logs are closed, because they would otherwise retry during the tests of other files.
  for (const log of logs.splice(0)) await log.close();
  await databases.closeAll();
});

beforeEach(async () => {
  world = await inhabitedWorld();
  failures.length = 0;
});

const DONE: Recorded = {
  tokenId: null,
  personId: null,
  action: 'media.update',
  subjectId: null,
  workspaceId: null,
  address: null,
};

function openLog(record: (entries: readonly AuditEntry[]) => Promise<void>, change: Partial<World> = {}): AuditLog {
  const ports = { ...world, audit: replacing(world.audit, { record }), ...change };
  const log = new AuditLog(ports, (_, lost) => void failures.push(lost));
  logs.push(log);
  return log;
}

const total = async () => (await world.audit.list({ from: 0 }, { offset: 0, limit: 1 })).total;

test('audit entries are soon written in batches, even without a flush', async () => {
  const sizes: number[] = [];
  const log = openLog((entries) => {
    sizes.push(entries.length);
    return world.audit.record(entries);
  });
  for (let n = 0; n < 250; n += 1) log.record([DONE]);
  log.record([]);
  await until(async () => (await total()) === 250);
  expect(sizes).toEqual([100, 100, 50]);
  log.record([DONE, DONE]);
  await log.flush();
  expect([await total(), failures]).toEqual([252, []]);
});

test('audit entries wait while the database fails, which is reported once, and are written on recovery', async () => {
  let isBroken = true;
  const log = openLog((entries) => (isBroken ? Promise.reject(new Error('full')) : world.audit.record(entries)));
  log.record([DONE]);
  await log.flush();
  log.record([DONE]);
  await log.flush();
  expect([failures, await total()]).toEqual([[0], 0]);
  isBroken = false;
  await until(async () => (await total()) === 2);
});

test('at most 10,000 audit entries wait; beyond that, the oldest are lost, and each loss is reported', async () => {
  const tried: AuditEntry[][] = [];
  const log = openLog(async (entries) => {
    tried.push([...entries]);
    throw new Error('full');
  });
  log.record([{ ...DONE, action: 'oldest' }]);
  await log.flush();
  log.record(Array<Recorded>(10_001).fill(DONE));
  await log.flush();
  expect(failures).toEqual([0, 2]);
  expect(tried.at(-1)?.map(({ action }) => action)).not.toContain('oldest');
  await log.close();
  expect(failures).toEqual([0, 2, 10_000]);
});

test('audit entries are lost while the disk is low on space, and the loss is reported', async () => {
  let isLow = true;
  const log = openLog((entries) => world.audit.record(entries), { databaseSpace: { has: async () => !isLow } });
  log.record([DONE, DONE]);
  await log.flush();
  expect([failures, await total()]).toEqual([[2], 0]);
  isLow = false;
  log.record([DONE]);
  await log.flush();
  expect([failures, await total()]).toEqual([[2], 1]);
});
