import type { Uuid } from '@postshelf/domain';
import type {
  AliasableExpression,
  CompiledQuery,
  ControlledTransaction,
  Expression,
  Kysely,
  SelectQueryBuilder,
  SqlBool,
  Transaction,
} from 'kysely';
import type { Tables } from './tables.ts';

/** What a repository runs queries on: the database, or a transaction. */
export type Queries = Kysely<Tables>;

/**
 * What differs between the databases; all other repository code is the same for both. Rows are locked by Kysely's
 * methods (`forUpdate`, `forShare`, `skipLocked` and so on), which SQLite's query compiler omits: there a write
 * transaction locks the whole database.
 */
export interface Dialect {
  /**
   * Takes named locks until the transaction ends: transactions of any process that ask for one of them wait. Call it
   * before the first read of the guarded rows. Several locks are taken in one order, which prevents deadlocks. Does
   * nothing if a write transaction locks the whole database anyway.
   *
   * @param names ids of workspaces; for `duplicates`, a workspace's id followed by the hash of a file
   */
  lock(queries: Queries, guarded: 'folders' | 'imports' | 'duplicates', names: readonly string[]): Promise<void>;
  /**
   * An id that no row has, sorted before every other. In the unique index of siblings it stands for "no parent", since
   * nulls would count as distinct.
   */
  readonly noId: Uuid;
  /** An id cast to the type of id columns, for expressions in which the database can't infer it from a column. */
  typedId(id: Uuid): Expression<Uuid>;
  /**
   * The first `count` bytes of a text in UTF-8; the last character may be cut. A limit in characters would allow up to
   * four times as many bytes.
   */
  firstBytes(text: Expression<string | null>, count: number): AliasableExpression<Buffer>;
  /**
   * Selects from media by the given index, since the planner might choose a slower one. For a partial index the query
   * must contain the index's condition.
   */
  mediaBy(queries: Queries, index: MediaIndex): SelectQueryBuilder<Tables, 'media', object>;
  /**
   * Whether an id is among `ids`, in a statement whose text doesn't depend on their number, so that it stays prepared.
   * Missing in an in-process database, for which another text and a second statement cost next to nothing.
   */
  isAmong?(id: Expression<Uuid | null>, ids: readonly Uuid[]): Expression<SqlBool>;
  /** The SQL function for the position of a text within another, counted from 1; 0 if it isn't contained. */
  readonly position: 'strpos' | 'instr';
  readonly searchIndex: SearchIndex;
  /**
   * A condition that is true for every row and ends the query once its result is no longer wanted, for queries that
   * read a single table. Missing if queries are cancelled from outside.
   */
  readonly whileWanted?: Expression<SqlBool>;
}

/** Indices of media: the orders of lists, and two for rare items (unfinished ones, and films). */
export type MediaIndex =
  | 'media_latest'
  | 'media_in_folder'
  | 'media_newest'
  | 'media_newest_in_folder'
  | 'media_unfinished'
  | 'media_films';

/** Finds the hits of a search (`media/search.ts`) without reading every item. */
export interface SearchIndex {
  /**
   * @param most above this number of hits the caller has no use for the result
   * @returns null if the caller has to read every item: the index can't look up the text, lacks the workspace, or finds
   *   more than `most`
   */
  find(queries: Queries, workspaceId: Uuid, text: string, most: number): Promise<SearchHits | null>;
}

/** The media of a workspace that a search finds, covers excluded. */
export interface SearchHits {
  readonly total: number;
  /** A condition on `media` that selects the hits; a query may add others. */
  readonly areHits: Expression<SqlBool>;
}

/**
 * What a database supplies to the repositories. While it is busy for too long, full or out of reach, every method and
 * query throws a `Refusal` `unavailable` with its cause.
 */
export interface Store {
  /** For single queries: each sees everything that was committed before it starts. */
  readonly reads: Queries;
  /**
   * Prepares a query for a row or a few that is answered synchronously, whereas {@link reads} queues. It sees the same
   * commits. The returned rows are shared between callers and must not be changed. Only an in-process database has
   * this.
   */
  readonly readSync?: <Row>(sql: string) => (...parameters: readonly Uuid[]) => readonly Row[];
  /**
   * The same for a database server: prepares a query that is sent together with other calls of the same query. It sees
   * the same commits as a query by {@link reads}.
   */
  readonly readBatched?: <Row>(
    query: CompiledQuery<Row>,
  ) => (...parameters: readonly Uuid[]) => Promise<readonly Row[]>;
  /** Several queries that see the database as of one point in time. */
  snapshot<T>(work: (snapshot: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for an iteration over rows: the transaction stays open until the iteration ends, also if it ends early.
   * During the iteration nothing else of this database may be awaited, as it might wait for the same connection.
   */
  pull<T>(read: (snapshot: Queries) => AsyncIterable<T>): AsyncIterable<T>;
  /**
   * Runs a scan in a reader thread or at the server, within the workspace's share of scan slots. It sees everything
   * that was committed before it starts.
   *
   * @throws Refusal `busy` if too many scans wait; a refusal, too, once the caller's signal is aborted, which cancels
   *   the scan
   */
  scan<Parameters extends readonly unknown[], Result>(
    scan: Scan<Parameters, Result>,
    caller: ScanCaller,
    ...parameters: Parameters
  ): Promise<Result>;
  /**
   * Runs work in a write transaction, which is durable when this resolves; if `work` throws, everything is undone. Each
   * query sees what was committed before it (read committed), so lock what a write depends on before reading it: the
   * row itself, or, if there is none, by {@link Dialect.lock}. `work` may await nothing but its own queries, since
   * others wait for it, and is run again from its beginning if the database undid it.
   */
  transact<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for a single statement, which is a transaction by itself: over a network it needs one round trip, and a
   * row that it waits for and then leaves unchanged is locked only while the statement runs.
   */
  change<T>(statement: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Resolves when everything that reads can see is durable. A commit is visible a little before it is durable, so call
   * this before destroying anything because its row is gone: after a power cut the row might be back.
   */
  durable(): Promise<void>;
  /**
   * The same for a row that was changed at a given time, by the clock of this machine; null if it is durable already.
   * Call it before showing the result of somebody else's work, since showing it acknowledges that work.
   */
  whenDurable(changedAt: number): Promise<void> | null;
  /** The same for a row that {@link readSync} or {@link readBatched} returned, at less cost. */
  whenRowDurable(changedAt: number): Promise<void> | null;
  readonly dialect: Dialect;
}

/** The caller of a scan. */
export interface ScanCaller {
  /** The workspace whose share of scans it takes. */
  readonly workspaceId: Uuid;
  /** Aborted when nobody wants the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a scan reads from, in the main thread or in a reader thread. */
export interface ScanStore extends Pick<Store, 'reads' | 'snapshot' | 'pull' | 'dialect'> {
  /** Throws once the result is no longer wanted. To be called between the queries of a scan that has many. */
  requireWanted(): void;
}

/**
 * A read whose cost grows with the rows of a workspace. An in-process database runs it in a reader thread, which finds
 * it by its name; parameters and result are copied between threads, so they must be plain data and small.
 */
export interface Scan<Parameters extends readonly unknown[], Result> {
  readonly name: string;
  run(store: ScanStore, ...parameters: Parameters): Promise<Result>;
}

/** Implements {@link Store.pull}: iterates within a transaction, which the first pull begins. */
export async function* pullWithin<T>(
  begin: () => Promise<ControlledTransaction<Tables>>,
  read: (snapshot: Queries) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const snapshot = await begin();
  try {
    yield* read(snapshot);
  } finally {
    // Nothing was written.
    await snapshot.rollback().execute();
  }
}
