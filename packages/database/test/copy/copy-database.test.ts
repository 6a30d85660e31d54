import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addFolder, NOW, newId, sampleToken } from '@postshelf/testing/contracts/samples';
import { addWebhook } from '@postshelf/testing/contracts/webhooks/samples';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { sql } from 'kysely';
import { COPIED_TABLES } from '../../src/copy/plan.ts';
import { type CopyProgress, type CopyReport, copyDatabase, type Database, UnusableDatabase } from '../../src/index.ts';
import { OWN_TABLES } from '../../src/store/tables.ts';
import { dialects, withAddress } from '../support/dialects.ts';
import { openAt } from '../support/open-at.ts';
import { fillLibrary } from './library.ts';

for (const source of dialects) {
  // Only a large library has tables with more rows than a batch. Copying it takes seconds.
  describe.each(['large', 'small'])(`copying a %s library from ${source.name}`, (size) => {
    let from: Database;
    let address: string;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const made = await source.make();
      address = made.address;
      from = await openAt(address);
      await from.migrate();
      await (size === 'large' ? fillLibrary(from) : fillLibrary(from, 10, 10));
      close = async () => {
        await from.close();
        await made.remove();
      };
    });

    afterAll(() => close());

    describe.each(dialects)('to $name', (target) => {
      /** Runs a test with an empty target database without a schema. */
      const withTarget = (run: (to: Database, there: string) => Promise<void>): Promise<void> =>
        withAddress(target, async (there) => {
          const to = await openAt(there);
          try {
            await run(to, there);
          } finally {
            await to.close();
          }
        });

      // If both kinds of database are available, most tests copy only to the other kind. The test that copies every row
      // also copies to the same kind.
      const areAlike = source === target && dialects.length > 1;

      if ((size === 'large') !== areAlike)
        test('copies every row of every table once and refuses a target with a different row', () =>
          withTarget(async (to) => {
            expect(await expectWhole(from, to)).toBeGreaterThan(areAlike ? 20 : 1_240);
            expect(await to.workspaces.list()).toEqual(await from.workspaces.list());
            expect(await to.tokens.list()).toEqual(await from.tokens.list());
            expect(await expectWhole(from, to)).toBe(0);
            const [first] = await imagesOf(from);
            await run(to, `update media set updated_at = ${NOW + 1} where id = '${first}'`);
            await expectRefusal(copyDatabase(from, to), `${first}`);
          }));

      if (areAlike) return;

      if (size === 'large') {
        test('continues after kill -9 at any time, and copies only missing rows', () =>
          withTarget(async (to, there) => {
            await copyAndKill([address, there], 'copying', 1);
            await copyAndKill([address, there], 'copying', 550);
            const kept = await rowsIn(to, 'library', 'workspaces', 'folders', 'media');
            expect(kept).toBeGreaterThanOrEqual(1_000);
            const last = new Map<string, CopyProgress>();
            const report = await copyDatabase(from, to, (progress) => last.set(progress.step, progress));
            const rows = report.tables.reduce((sum, table) => sum + table.source.rows, 0);
            expect(copiedBy(report)).toBe(rows - kept);
            expect([...last.values()]).toEqual([
              { step: 'checking', rows: kept, total: kept },
              { step: 'copying', rows: rows - kept, total: rows - kept },
              { step: 'verifying', rows, total: rows },
            ]);
            await copyAndKill([address, there], 'verifying', 500);
            expect(await expectWhole(from, to)).toBe(0);
          }));

        return;
      }

      test('reports changes that are made to the target meanwhile', () =>
        withTarget(async (to) => {
          const [first, second] = await imagesOf(from);
          // The preview is deleted, so that no other row refers to the item.
          await run(from, `delete from previews where media_id = '${second}'`);
          const stranger = sampleToken([]);
          const visited = visitedOnce(to, 'media', async () => {
            await run(to, `update media set label = 'other' where id = '${first}'`);
            await run(to, `delete from media where id = '${second}'`);
            await to.tokens.insert(stranger);
          });
          const report = await copyDatabase(from, visited);
          expect(report.problems).toBe(3);
          expect(report.examples).toEqual([
            { table: 'media', key: [`${first}`], problem: 'different' },
            { table: 'media', key: [`${second}`], problem: 'missing on the target' },
            { table: 'tokens', key: [stranger.id], problem: 'missing in the source' },
          ]);
          const media = report.tables.find(({ table }) => table === 'media');
          expect(media?.target.rows).toBe((media?.source.rows ?? 0) - 1);
          expect(media?.target.sha256).not.toBe(`${media?.source.sha256}`);
        }));

      test('refuses a target with rows that the source lacks and leaves it unchanged', () =>
        withTarget(async (to) => {
          await to.migrate();
          const foreign = sampleToken([]);
          await to.tokens.insert(foreign);
          await expectRefusal(copyDatabase(from, to), foreign.id);
          expect(await rowsIn(to, 'workspaces')).toBe(0);
        }));

      test('hands over the fence once both databases are equal, and records the target’s location in the source', () =>
        withTarget(async (to) => {
          await from.fence.set({ current: 'b', previous: 'a', movedTo: null });
          const stranger = sampleToken([]);
          const visited = visitedOnce(to, 'media', () => to.tokens.insert(stranger));
          expect((await copyDatabase(from, visited)).problems).toBe(1);
          expect(await from.fence.find()).toMatchObject({ movedTo: null });
          await run(to, `delete from tokens where id = '${stranger.id}'`);
          expect((await copyDatabase(from, to)).problems).toBe(0);
          expect(await to.fence.find()).toEqual({ current: 'b', previous: 'a', movedTo: null });
          expect(await from.fence.find()).toEqual({ current: 'b', previous: 'a', movedTo: to.rows.place });
        }));

      test('refuses a target made by a newer program', () =>
        withTarget(async (to) => {
          await to.migrate();
          await run(to, "insert into kysely_migration (name, timestamp) values ('9999-future', 'now')");
          await expectRefusal(copyDatabase(from, to), '9999-future');
        }));

      test('blocks writes to the source and changes of its fence, during the copy and afterwards', () =>
        withTarget(async (to) => {
          const rival = await openAt(address);
          await rival.fence.set({ current: 'b', previous: 'a', movedTo: null });
          const now = Date.now();
          expect(await rival.fence.takeLease('rival', now, now + 70_000)).toBe(true);
          const events: string[] = [];
          let writing: Promise<unknown> | undefined;
          await copyDatabase(from, to, ({ step }) => {
            if (step === 'verifying') events.push(step);
            else
              writing ??= rival.tokens.insert(sampleToken([])).then(
                () => events.push('written'),
                () => events.push('refused'),
              );
          });
          await writing;
          expect(events[0]).toBe('verifying');
          expect(events.at(-1)).toBe('refused');
          expect(await thrownBy(rival.tokens.insert(sampleToken([])))).toMatchObject({
            problem: { code: 'unavailable' },
          });
          expect(await rival.fence.change('rival', 'b', 'c')).toBe(false);
          expect(await rowsIn(from, 'tokens')).toBe(await rowsIn(to, 'tokens'));
          await rival.fence.releaseLease('rival');
          await rival.close();
        }));

      test('hands over the fence on the next run after a kill, but never overwrites a later fence of the target', () =>
        withTarget(async (to) => {
          await from.fence.set({ current: 'b', previous: 'a', movedTo: null });
          const killed = () => Promise.reject(new Error('killed'));
          expect(await outcomeOf(copyDatabase(from, { ...to, fence: { ...to.fence, set: killed } }))).toThrow('killed');
          expect(await from.fence.find()).toMatchObject({ movedTo: to.rows.place });
          expect(await to.fence.find()).toMatchObject({ current: null });
          await copyDatabase(from, to);
          expect(await to.fence.find()).toEqual({ current: 'b', previous: 'a', movedTo: null });
          await to.fence.set({ current: 'c', previous: 'b' });
          await copyDatabase(from, to);
          expect(await to.fence.find()).toEqual({ current: 'c', previous: 'b', movedTo: null });
        }));
    });
  });
}

describe.each(dialects)('copying with $name', (dialect) => {
  test('is refused if the source has no library, and creates none', () =>
    withAddress(dialect, (here) =>
      withAddress(dialect, async (there) => {
        const [from, to] = [await openAt(here), await openAt(there)];
        await expectRefusal(copyDatabase(from, to), 'There is no library');
        for (const database of [from, to]) {
          expect(await database.rows.reads.introspection.getTables()).toEqual([]);
          await database.close();
        }
      }),
    ));

  test('is refused if source and target are the same', () =>
    withAddress(dialect, async (address) => {
      const [from, to] = [await openAt(address), await openAt(address)];
      await from.migrate();
      await expectRefusal(copyDatabase(from, to), 'to itself');
      await Promise.all([from.close(), to.close()]);
    }));

  test('is refused while deliveries for some events are still to be created', () =>
    withAddress(dialect, (here) =>
      withAddress(dialect, async (there) => {
        const [from, to] = [await openAt(here), await openAt(there)];
        await from.migrate();
        const { workspaceId } = await addWebhook(from);
        await addFolder(from, workspaceId);
        await expectRefusal(copyDatabase(from, to), 'Webhooks still have to be notified');
        expect(await from.deliveries.fanOut(10, { newId, payloadOf: () => '{}' }, NOW)).toBe(1);
        await copyDatabase(from, to);
        await Promise.all([from.close(), to.close()]);
      }),
    ));

  test('is refused during a write to the source, and the write succeeds', () =>
    withAddress(dialect, async (address) => {
      // On a busy machine, PostgreSQL needs a tenth of a second even for other queries of the copy.
      const [from, rival] = [await openAt(address, 1000), await openAt(address)];
      await from.migrate();
      await withAddress(dialect, async (there) => {
        const to = await openAt(there);
        await rival.rows.write(async (transaction) => {
          await sql
            .raw(
              "insert into workspaces (id, name, timezone, created_at) values ('01890000-0000-7000-8000-000000000000', 'W', 'UTC', 1)",
            )
            .execute(transaction);
          await expectRefusal(copyDatabase(from, to), 'is being written to');
        });
        expect(await rival.workspaces.list()).toHaveLength(1);
        await to.close();
      });
      await Promise.all([from.close(), rival.close()]);
    }));

  test('covers every table of the schema', () =>
    withAddress(dialect, async (address) => {
      const database = await openAt(address);
      await database.migrate();
      const tables = await database.rows.reads.introspection.getTables();
      const copied = COPIED_TABLES.map(({ name }) => name);
      // These tables concern one deployment only, or are handed over when the copy is complete.
      const uploads = ['resumable_uploads', 'resumable_pieces'];
      const local = ['fence', 'object_checks', 'events', 'resource_changes', 'fan_out', 'archives', ...uploads];
      const known = [...copied, ...COUNTS.map(({ table }) => table), ...local];
      // The search index is rebuilt after a copy.
      const made = tables
        .map(({ name }) => name)
        .filter((name) => !/^(?:media_search|event_places|sqlite_)/.test(name));
      expect(made.sort()).toEqual(known.sort());
      expect([...OWN_TABLES].sort()).toEqual(known.sort());
      await database.close();
    }));
});

/** The tables of counts, and queries that count the same rows. */
const COUNTS = [
  { table: 'media_counts', column: 'items', of: 'media where cover_of is null' },
  { table: 'folder_counts', column: 'folders', of: 'folders' },
  { table: 'post_counts', column: 'posts', of: 'posts' },
  {
    table: 'workspace_usage',
    column: 'items',
    of: "media where cover_of is null and status in ('active', 'temporary')",
  },
  { table: 'trash_usage', column: 'items', of: 'trashed_media where cover_of is null' },
] as const;

async function numberFrom({ rows: { reads } }: Database, query: string): Promise<number> {
  const { rows } = await sql.raw<{ number: number }>(query).execute(reads);
  return Number(rows[0]?.number);
}

async function rowsIn({ rows: { reads } }: Database, ...tables: readonly string[]): Promise<number> {
  let sum = 0;
  for (const table of tables) {
    const query = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`;
    sum += Number((await query.execute(reads)).rows[0]?.count);
  }
  return sum;
}

const run = (database: Database, statement: string): Promise<unknown> =>
  database.rows.write((transaction) => sql.raw(statement).execute(transaction));

const copiedBy = ({ tables }: CopyReport): number => tables.reduce((sum, { copied }) => sum + copied, 0);

/** Expects a complete copy with rows in every table. Returns the number of copied rows. */
async function expectWhole(from: Database, to: Database): Promise<number> {
  const report = await copyDatabase(from, to);
  expect(report).toMatchObject({ problems: 0, examples: [] });
  expect(report.tables.map(({ table }) => table)).toEqual(COPIED_TABLES.map(({ name }) => name));
  for (const { table, source, target } of report.tables) {
    expect({ table, ...target }).toEqual({ table, ...source });
    expect({ table, rows: await rowsIn(to, table) }).toEqual({ table, rows: source.rows });
    expect(source.rows).toBeGreaterThan(0);
  }
  for (const { table, column, of } of COUNTS) {
    const counted = await numberFrom(to, `select count(*) as number from ${of}`);
    expect({ table, kept: await numberFrom(to, `select sum(${column}) as number from ${table}`) }).toEqual({
      table,
      kept: counted,
    });
  }
  return copiedBy(report);
}

/** Copies in another process, which is killed when it has copied this many rows in a step. */
async function copyAndKill(addresses: readonly [string, string], step: string, rows: number): Promise<void> {
  const script = join(import.meta.dir, '../fixtures/copy-and-wait.ts');
  const child = Bun.spawn([process.execPath, script, ...addresses, step, `${rows}`], { stdout: 'pipe' });
  try {
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('there\n');
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

/** Wraps a database so that `visit` is called once, as soon as the table has a row. */
function visitedOnce(database: Database, table: string, visit: () => Promise<void>): Database {
  let isDone = false;
  const write: Database['rows']['write'] = async (work) => {
    const result = await database.rows.write(work);
    if (!isDone && (await rowsIn(database, table)) > 0) {
      isDone = true;
      await visit();
    }
    return result;
  };
  return { ...database, rows: { ...database.rows, write } };
}

/** Returns the ids of two images that no other row refers to. */
async function imagesOf({ rows: { reads } }: Database): Promise<readonly string[]> {
  const images = reads.selectFrom('media').select('id').where('type', '=', 'image/png').where('cover_of', 'is', null);
  return (await images.orderBy('id').limit(2).execute()).map(({ id }) => id);
}

async function expectRefusal(copy: Promise<unknown>, part: string): Promise<void> {
  const error = await copy.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnusableDatabase);
  expect(`${error}`).toContain(part);
  expect(`${error}`).not.toContain('\n');
}
