import { describe, expect, test } from 'bun:test';
import { newId } from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { compareTables, type RowProblem } from '../../src/copy/compare-tables.ts';
import type { CopiedTable } from '../../src/copy/plan.ts';
import { putRows } from '../../src/copy/put-rows.ts';
import { BATCH, batches } from '../../src/copy/walk.ts';
import { type Database, UnusableDatabase } from '../../src/index.ts';
import { dialects, SQLITE, type TestDialect, withAddress } from '../support/dialects.ts';
import { openAt } from '../support/open-at.ts';

/** A table with a key of two columns, and a column of bytes. The SQL for each database is below. */
const DAYS: CopiedTable = { name: 'days', key: ['profile_id', 'day'] };
const make = (isSqlite: boolean): string =>
  isSqlite
    ? 'create table days (profile_id text, day integer, quarters blob not null, note text, primary key (profile_id, day)) strict'
    : 'create table days (profile_id uuid, day integer, quarters bytea not null, note text, primary key (profile_id, day))';

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const withBoth = (
  source: TestDialect,
  target: TestDialect,
  work: (from: Database, to: Database) => Promise<void>,
): Promise<void> =>
  withAddress(source, (here) =>
    withAddress(target, async (there) => {
      const [from, to] = [await openAt(here), await openAt(there)];
      for (const [database, { name }] of [[from, source] as const, [to, target] as const]) {
        await database.migrate();
        const statement = make(name === 'SQLite');
        await database.rows.write((transaction) => sql.raw(statement).execute(transaction));
      }
      try {
        await work(from, to);
      } finally {
        await Promise.all([from.close(), to.close()]);
      }
    }),
  );

const pairs = dialects.flatMap((source) =>
  dialects.map((target) => ({ source, target, name: `${source.name} to ${target.name}` })),
);

describe.each(pairs)('a table in $name with bytes and a two-column key', ({ source, target }) => {
  test('is copied byte for byte, and a changed byte is reported', () =>
    withBoth(source, target, async (from, to) => {
      const profiles = [newId(), newId()];
      for (const id of profiles) {
        for (let day = 0; day < 2 * BATCH; day += 400) await insert(from, id, day, BYTES.subarray(day % 256));
        await insert(from, id, BATCH, new Uint8Array());
      }
      for await (const batch of batches(from.rows.reads, DAYS)) {
        expect(await putRows(from.rows.reads, to.rows, DAYS, batch)).toBe(batch.length);
        expect(await putRows(from.rows.reads, to.rows, DAYS, batch)).toBe(0);
      }
      const whole = await compare(from, to);
      expect(whole.problems).toEqual([]);
      expect(whole.target).toEqual(whole.source);
      expect(whole.source.rows).toBe(8);

      await to.rows.write((transaction) =>
        sql`update days set quarters = ${Buffer.from([1])} where day = 400 and profile_id = ${profiles[1]}`.execute(
          transaction,
        ),
      );
      const tampered = await compare(from, to);
      expect(tampered.problems).toEqual([{ table: 'days', key: [`${profiles[1]}`, 400], problem: 'different' }]);
      expect(tampered.target.sha256).not.toBe(tampered.source.sha256);
    }));

  test('is read in batches in key order, each row once', () =>
    withBoth(source, target, async (from) => {
      const [first, second] = [newId(), newId()];
      await from.rows.write(async (transaction) => {
        for (let day = 0; day < 2 * BATCH; day += 1) {
          const id = day % 2 === 0 ? first : second;
          await sql`insert into days (profile_id, day, quarters) values (${id}, ${day}, ${Buffer.from([1])})`.execute(
            transaction,
          );
        }
      });
      const sizes: number[] = [];
      const days: unknown[] = [];
      for await (const batch of batches(from.rows.reads, DAYS)) {
        sizes.push(batch.length);
        days.push(...batch.map((row) => row.day));
      }
      expect(sizes).toEqual([BATCH, BATCH]);
      const numbers = Array.from({ length: BATCH }, (_, n) => 2 * n);
      expect(days).toEqual([...numbers, ...numbers.map((n) => n + 1)]);
    }));
});

for (const server of dialects.filter(({ name }) => name !== 'SQLite')) {
  test(`a text that ${server.name} can't store is reported`, () =>
    withBoth(SQLITE, server, async (from, to) => {
      const id = newId();
      await insert(from, id, 1, BYTES, 'a\0b');
      for await (const batch of batches(from.rows.reads, DAYS)) {
        const error = await putRows(from.rows.reads, to.rows, DAYS, batch).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(UnusableDatabase);
        expect(`${error}`).toContain(`refuses the rows of days from ${id}, 1 on`);
      }
    }));
}

const insert = (
  { rows }: Database,
  id: string,
  day: number,
  bytes: Uint8Array,
  note: string | null = null,
): Promise<unknown> =>
  rows.write((transaction) =>
    sql`insert into days (profile_id, day, quarters, note) values (${id}, ${day}, ${Buffer.from(bytes)}, ${note})`.execute(
      transaction,
    ),
  );

async function compare(from: Database, to: Database) {
  const problems: RowProblem[] = [];
  const tallies = await compareTables(
    from.rows,
    to.rows,
    DAYS,
    (problem) => void problems.push(problem),
    () => undefined,
  );
  return { ...tallies, problems };
}
