import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeContracts } from './support/contracts.ts';
import { dialects, SQLITE } from './support/dialects.ts';

for (const dialect of dialects.filter((each) => each !== SQLITE)) {
  const open = describeContracts(dialect);

  test(`${dialect.name}: no deadlock occurred in the whole suite`, async () => {
    const { store } = await open();
    const count = sql`select deadlocks from pg_stat_database where datname = current_database()`;
    const { rows } = await count.execute(store.reads);
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });
}
