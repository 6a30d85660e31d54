import type { Uuid } from '@postshelf/domain';
import type { Compilable, Transaction } from 'kysely';
import type { Dialect, Queries } from './dialect.ts';
import type { Tables } from './tables.ts';

/** Placeholder for an id while a lookup is prepared. */
export const GIVEN = '' as Uuid;

/**
 * The operations that a database supplies to the repositories. While the database is busy for too long, full or
 * unreachable, every method throws a `Refusal` `unavailable`.
 */
export interface Store {
  /**
   * Prepares a query for one or a few rows by their ids. The rows show everything that was committed before the current
   * turn of the event loop began. Ids are passed in the order of the {@link GIVEN} placeholders. The answer may be
   * shared, so it must not be changed.
   */
  lookup<Row>(
    query: (queries: Queries) => Compilable<Row>,
  ): (...ids: readonly Uuid[]) => readonly Row[] | Promise<readonly Row[]>;
  /** Runs queries that see the database as of one moment. `work` may await nothing but these queries. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs a scan in a reader thread or at the server, within the workspace's share of scan slots. It sees what was
   * committed before it starts.
   *
   * @throws Refusal `busy` if too many scans wait; also a Refusal once the caller's signal is aborted
   */
  scan<Parameters extends readonly unknown[], Result>(
    scan: Scan<Parameters, Result>,
    caller: ScanCaller,
    ...parameters: Parameters
  ): Promise<Result>;
  /**
   * Runs work in a write transaction. The transaction is durable when the promise resolves; if `work` throws,
   * everything is undone. Each query sees what was committed before it, so lock what a write depends on before reading
   * it: the row, or {@link Dialect.lock}. `work` may await nothing but its own queries, and is run again if the
   * database undid it.
   */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Resolves once everything that reads can see is durable; null if it already is. Await this before showing the result
   * of another caller's work, and before purging anything because its row no longer exists: after a power cut the row
   * might be back.
   *
   * @param changedAt when the relevant data was changed, by this machine's clock; default: just now
   */
  settled(changedAt?: number): Promise<void> | null;
  readonly dialect: Dialect;
}

export interface ScanCaller {
  readonly workspaceId: Uuid;
  /** Aborted when the answer is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The store of a scan, in the main thread or in a reader thread. Each query throws once the result is no longer wanted.
 */
export interface ScanStore extends Pick<Store, 'read' | 'dialect'> {
  /** Computes in a thread other than the main one. The parameters and the result are copied between the threads. */
  compute<Parameters extends readonly unknown[], Result>(
    computation: Computation<Parameters, Result>,
    ...parameters: Parameters
  ): Promise<Result>;
}

/** Work without I/O that would block the event loop. */
export interface Computation<Parameters extends readonly unknown[], Result> {
  readonly name: string;
  run(...parameters: Parameters): Result;
}

/**
 * A read whose cost grows with the number of a workspace's rows. An in-process database runs it in a reader thread, by
 * its name; parameters and result are copied, so they must be plain data and small.
 */
export interface Scan<Parameters extends readonly unknown[], Result> {
  readonly name: string;
  run(store: ScanStore, ...parameters: Parameters): Promise<Result>;
}
