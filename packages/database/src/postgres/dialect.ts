import type { Uuid } from '@postshelf/domain';
import { PostgresAdapter, PostgresDialect, PostgresDriver, type PostgresPool, sql } from 'kysely';
import type { Dialect } from '../store/store.ts';
import { lock } from './locks.ts';
import { searchIndexOf } from './search-index.ts';
import type { NewTotals } from './search-totals.ts';

/** @param counted takes what searches have counted and is to be kept */
export const postgresDialect = (counted: Pick<NewTotals, 'add'>): Dialect => ({
  lock,
  noId: '00000000-0000-0000-0000-000000000000' as Uuid,
  typedId: (id) => sql`${id}::uuid`,
  firstBytes: (text, count) => sql<Buffer>`substring(convert_to(${text}, 'UTF8') from 1 for ${count}::integer)`,
  mediaBy: (queries) => queries.selectFrom('media'),
  changeInDay: sql`updated_at + 0`,
  eachNumber: (numbers) => sql<number>`unnest(${numbers}::bigint[])`,
  isAmong: (id, ids) => sql`${id} = any(${ids}::uuid[])`,
  position: 'strpos',
  searchIndex: searchIndexOf(counted),
});

/** Kysely's PostgreSQL dialect, for connections that may break and migrations that bring a lock of their own. */
export class PooledPostgresDialect extends PostgresDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new TolerantPostgresDriver({ pool: this.#pool });
  }

  override createAdapter(): PostgresAdapter {
    return new LockedPostgresAdapter();
  }
}

class TolerantPostgresDriver extends PostgresDriver {
  /**
   * On a broken connection there is nothing to roll back: the server has done so. The base class has marked it as
   * unusable, and the statement that failed has given the reason.
   */
  override async rollbackTransaction(...given: Parameters<PostgresDriver['rollbackTransaction']>): Promise<void> {
    await super.rollbackTransaction(...given).catch(() => undefined);
  }
}

/** The migrations' transaction has a lock already, which ends with it whatever happens. */
class LockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
