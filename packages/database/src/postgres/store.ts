import { setTimeout as delay } from 'node:timers/promises';
import { backOff } from '@postshelf/domain';
import { Kysely } from 'kysely';
import type { PoolFigures } from '../store/database.ts';
import type { Queries } from '../store/dialect.ts';
import { Readers } from '../store/readers.ts';
import { type ScanQueue, ScanSlots } from '../store/scan.ts';
import type { ScanStore, Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { POSTGRES, PooledPostgresDialect } from './dialect.ts';
import { wasRolledBack } from './errors.ts';
import { Lookups } from './lookups.ts';
import { createPool, type PoolSettings } from './pool.ts';
import { scanStore } from './scan-store.ts';

/** The shares of the pool's connections for scans and for writes. The rest is left to small reads. */
const SHARES = { scans: 0.4, writes: 0.4 } as const;

export interface PostgresStore extends Store, ScanQueue {
  /** Queries outside a transaction; each sees everything that was committed before it. */
  readonly reads: Queries;
  figures(): PoolFigures;
  /** Whether any connection so far went through a pooler. */
  hasPooler(): boolean;
  readonly maxWrites: number;
  close(): Promise<void>;
}

/**
 * Opens a store with one pool. Every transaction sets its isolation level. A write that has waited for a lock must see
 * what was committed meanwhile (read committed); the queries of a read must all see the same snapshot (repeatable
 * read).
 */
export function openStore(settings: PoolSettings): PostgresStore {
  const pool = createPool(settings);
  const queries = new Kysely<Tables>({ dialect: new PooledPostgresDialect(pool) });
  const writes = queries.transaction().setIsolationLevel('read committed').setAccessMode('read write');
  const snapshots = queries.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  const slots = new ScanSlots();
  const connectionsOf = (share: number): number => Math.max(1, Math.floor(settings.size * share));
  // This pool connects at the first cancellation, and closes its connection when idle.
  const cancellerPool = createPool({ ...settings, size: 1 });
  const canceller = new Kysely<Tables>({ dialect: new PooledPostgresDialect(cancellerPool) });
  // Threads are started by the first computation; they open no database.
  const threads = new Readers('', 0);
  const sources: ScanStore = {
    read: (work) => snapshots.execute(work),
    compute: (computation, ...parameters) => threads.compute(computation, parameters),
    dialect: POSTGRES,
  };
  const lookups = new Lookups(async (query) => (await queries.executeQuery(query)).rows);
  return {
    ...sources,
    reads: queries,
    lookup: (query) => lookups.prepare(query(queries).compile()),
    scan: (scan, caller, ...parameters) =>
      slots.run(caller, () => scan.run(scanStore(sources, canceller, caller.signal), ...parameters)),
    maxScans: connectionsOf(SHARES.scans),
    maxWrites: connectionsOf(SHARES.writes),
    shareScans: (takeSlot) => slots.share(takeSlot),
    write: (work) => retryUndone(() => writes.execute(work)),
    // PostgreSQL makes a commit visible only once it is durable.
    settled: () => null,
    figures: () => pool.figures(),
    hasPooler: () => pool.hasPooler(),
    // The pools are ended here, because Kysely doesn't end a pool that it has never used.
    close: async () => {
      await Promise.all([pool.end(), cancellerPool.end(), threads.close()]);
    },
  };
}

const MAX_ATTEMPTS = 5;

/** Milliseconds. */
const PAUSE = { first: 10, longest: 1000 } as const;

/**
 * Repeats a transaction, after a random pause, if PostgreSQL rolled it back in favour of another transaction.
 *
 * @throws the last attempt's error
 */
async function retryUndone<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!wasRolledBack(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    await delay(Math.random() * backOff(attempt, PAUSE));
  }
}
