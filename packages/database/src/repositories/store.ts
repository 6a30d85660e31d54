import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** What a repository can do its work on: one Kysely for a query, or the transaction that it is within. */
export type Queries = Kysely<Tables>;

/**
 * What a database has to give the repositories. Failures that pass (busy, full, out of reach) come out of every
 * method and query as a `Refusal` `unavailable` with the cause kept.
 */
export interface Store {
  /** For a single query: it sees everything that was committed before it starts. */
  readonly reads: Queries;
  /**
   * Runs a compiled query as {@link reads} would, but at once; null when it has to wait for its turn there. Only a
   * database within the process can, so it may be missing.
   */
  readonly readAtOnce?: <Row>(query: CompiledQuery<Row>) => readonly Row[] | null;
  /** Several queries that see one moment. */
  snapshot<T>(work: (moment: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Reads and writes as if nobody else wrote meanwhile, in this process or another (serializable); all or nothing;
   * durable when it resolves. A throw undoes everything. `work` awaits nothing but its own queries, since others
   * wait for it.
   */
  transact<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
}
