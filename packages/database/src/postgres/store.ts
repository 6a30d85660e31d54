import { setTimeout as delay } from 'node:timers/promises';
import type { Uuid } from '@postshelf/domain';
import { Kysely, sql } from 'kysely';
import type { PoolFigures } from '../store/database.ts';
import { type Dialect, pullWithin, type Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { PooledPostgresDialect } from './dialect.ts';
import { isUndone } from './errors.ts';
import { lock } from './locks.ts';
import { createPool, type PoolSettings } from './pool.ts';

export interface PostgresStore extends Store {
  figures(): PoolFigures;
  /** Whether a pooler is between this process and the server, as far as connections were made. */
  hasPooler(): boolean;
  close(): Promise<void>;
}

export const POSTGRES: Dialect = {
  lock,
  noId: '00000000-0000-0000-0000-000000000000' as Uuid,
  typedId: (id) => sql`${id}::uuid`,
};

/**
 * One pool for all. Every transaction names its isolation level, whatever the database's default is: a change waits for
 * locks and must then see what was committed meanwhile, a report must not.
 */
export function openStore(settings: PoolSettings): PostgresStore {
  const pool = createPool(settings);
  const queries = new Kysely<Tables>({ dialect: new PooledPostgresDialect(pool) });
  const changes = queries.transaction().setIsolationLevel('read committed').setAccessMode('read write');
  const pulled = queries.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  const reports = queries.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return {
    reads: queries,
    snapshot: (work) => reports.execute(work),
    pull: (read) => pullWithin(() => pulled.execute(), read),
    transact: (work) => retryUndone(() => changes.execute(work)),
    // Its disk is the server's business.
    transactFor: (_, work) => retryUndone(() => changes.execute(work)),
    dialect: POSTGRES,
    figures: () => pool.figures(),
    hasPooler: () => pool.hasPooler(),
    // Kysely ends only a pool that it has used.
    close: () => pool.end(),
  };
}

const MAX_ATTEMPTS = 5;

/** The longest pause before the second attempt, milliseconds; doubled before each further one. */
const PAUSE = 10;

/**
 * Does a transaction again that PostgreSQL undid for another's sake (deadlock, serialization failure), after a pause of
 * random length, or the two would meet again.
 *
 * @throws the last attempt's error
 */
async function retryUndone<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isUndone(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    await delay(Math.random() * PAUSE * 2 ** (attempt - 1));
  }
}
