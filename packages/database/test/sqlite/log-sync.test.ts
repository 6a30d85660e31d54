import { expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { Kysely } from 'kysely';
import { GroupCommit } from '../../src/sqlite/commits/group-commit.ts';
import { LogSync } from '../../src/sqlite/commits/log-sync.ts';
import { connectWriter } from '../../src/sqlite/connection/connect.ts';
import { PreparedSqliteDialect } from '../../src/sqlite/connection/dialect.ts';
import type { Tables } from '../../src/store/tables.ts';
import { disk, type Waiting } from '../support/disk.ts';
import { nextTurn, withDatabase } from '../support/scratch.ts';

const withLog = (use: (log: LogSync, waiting: Waiting[]) => Promise<void>): Promise<void> =>
  withDatabase(async (_, file) => {
    const { waiting, sync } = disk();
    const log = new LogSync(file, sync);
    await use(log, waiting);
    await log.close();
  });

test('callers during a sync share the next sync', () =>
  withLog(async (log, waiting) => {
    const settled: string[] = [];
    const first = log.sync().then(() => settled.push('first'));
    const others = ['second', 'third'].map((name) => log.sync().then(() => settled.push(name)));
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve();
    await first;
    await nextTurn();
    expect([settled, waiting.length]).toEqual([['first'], 1]);
    waiting[0]?.resolve();
    await Promise.all(others);
    expect([settled, waiting.length]).toEqual([['first', 'second', 'third'], 0]);
  }));

test('after a failed sync no other is attempted, as a later success would not cover the lost pages', () =>
  withLog(async (log, waiting) => {
    const outcomes = Promise.allSettled([log.sync(), log.sync()]);
    waiting[0]?.reject(new Error('EIO: i/o error'));
    const refusals = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason);
    refusals.push(await log.sync().catch((error: unknown) => error));
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(Refusal);
      expect(refusal.problem.code).toBe('unavailable');
      expect(refusal.cause.message).toContain('EIO');
    }
    expect(waiting).toHaveLength(0);
    expect(() => log.require()).toThrow();
  }));

test('work is acknowledged after a sync that started after its commit, and later work commits meanwhile', () =>
  withDatabase(async (database, file) => {
    await addWorkspace(database);
    const { waiting, sync } = disk();
    const [writer, log] = [await connectWriter(file, 0), new LogSync(file, sync)];
    const kysely = new Kysely<Tables>({ dialect: new PreparedSqliteDialect(writer, 'begin immediate') });
    let commits = 0;
    const commit = new GroupCommit(writer, log, 1000, async (work) => {
      const result = await kysely.transaction().execute(work);
      commits += 1;
      return result;
    });
    const settled: string[] = [];
    const write = (name: string) =>
      commit
        .run((transaction) => transaction.updateTable('workspaces').set({ name }).execute())
        .then(
          () => settled.push(name),
          (error: Error) => settled.push(`${name}: ${error.message}`),
        );
    const begin = async (count: number) => {
      while (waiting.length < count) await nextTurn();
    };
    const first = write('first');
    await begin(1);
    const others = [write('second'), write('third')];
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect([settled, commits]).toEqual([[], 1]);
    waiting[0]?.resolve();
    await first;
    await begin(1);
    expect([settled, commits]).toEqual([['first'], 2]);
    waiting[0]?.reject(new Error('EIO: i/o error'));
    await Promise.all(others);
    expect(settled).toEqual(['first', 'second: unavailable', 'third: unavailable']);
    await kysely.destroy();
    await log.close();
  }));
