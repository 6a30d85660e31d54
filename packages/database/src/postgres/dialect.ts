import type { Uuid } from '@postshelf/domain';
import { PostgresAdapter, PostgresDialect, PostgresDriver, type PostgresPool, sql } from 'kysely';
import { POSTGRES_OUTBOX } from '../events/postgres/outbox.ts';
import { POSTGRES_SEARCH_INDEX } from '../search/postgres/search-index.ts';
import type { Dialect } from '../store/dialect.ts';
import { lock } from './locks.ts';

export const POSTGRES: Dialect = {
  lock,
  noId: '00000000-0000-0000-0000-000000000000' as Uuid,
  typedId: (id) => sql`${id}::uuid`,
  firstBytes: (text, count) => sql<Buffer | null>`substring(convert_to(${text}, 'UTF8') from 1 for ${count}::integer)`,
  mediaBy: (queries) => queries.selectFrom('media'),
  learnedPosts: sql`posts`,
  isAmong: (id, ids) => sql`${id} = any(${ids}::uuid[])`,
  position: 'strpos',
  searchIndex: POSTGRES_SEARCH_INDEX,
  outbox: POSTGRES_OUTBOX,
  isInProcess: false,
};

/** Kysely's dialect, except that a rollback on a broken connection doesn't throw, and migrations take no lock. */
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
   * Ignores errors: on a broken connection the server has rolled back already, and the failed statement has thrown the
   * reason.
   */
  override async rollbackTransaction(...given: Parameters<PostgresDriver['rollbackTransaction']>): Promise<void> {
    await super.rollbackTransaction(...given).catch(() => undefined);
  }
}

/** Takes no lock for migrations, because their transaction has already taken one (`lockSchema`). */
class LockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
