import type { Uuid, WritePurpose } from '@postshelf/domain';
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

/** What a repository works on: one Kysely for a query, or the transaction that it is within. */
export type Queries = Kysely<Tables>;

/**
 * What differs between the databases for repositories; all else is the same code for both. Rows are locked by Kysely's
 * own words (`forUpdate`, `forShare`, `skipLocked` and their like), which SQLite's compiler leaves out: there a writing
 * transaction has the whole database to itself.
 */
export interface Dialect {
  /**
   * Makes every other transaction wait, in any process, that asks for one of the same locks, until this one has ended.
   * Called before the first read of what it guards. All callers take several locks in the same order, so that no
   * deadlock arises. Does nothing where a transaction has the whole database anyway.
   *
   * @param names ids of workspaces; for `duplicates`, each followed by the hash of a file
   */
  lock(queries: Queries, guarded: 'folders' | 'imports' | 'duplicates', names: readonly string[]): Promise<void>;
  /**
   * An id that no row has, sorted before every other. It stands for no parent in the index of siblings, where nulls
   * would all differ.
   */
  readonly noId: Uuid;
  /** An id with its column's type, for statements that don't compare it with a column. */
  typedId(id: Uuid): Expression<Uuid>;
  /** The first bytes of a text in UTF-8, which may end within a character. Characters would be up to four times as much. */
  firstBytes(text: Expression<string | null>, count: number): AliasableExpression<Buffer>;
  /**
   * All media, to be read by this index: a planner that knows no better would walk in the order of another. Which of them the
   * index has stands in the query.
   */
  mediaBy(queries: Queries, index: MediaIndex): SelectQueryBuilder<Tables, 'media', object>;
  /** When an item was last changed, as the index `media_latest_of_day` has it. */
  readonly changeInDay: Expression<number>;
  /** Numbers as rows that others can be joined with, one after the other; missing where nothing can. */
  readonly eachNumber?: (numbers: readonly number[]) => AliasableExpression<number>;
  /** Whether an id is one of these: a statement that is the same for however many. */
  isAmong(id: Expression<Uuid | null>, ids: readonly Uuid[]): Expression<SqlBool>;
  /** The function that tells where in a text another begins, from 1 on; 0: nowhere. */
  readonly position: 'strpos' | 'instr';
  readonly searchIndex: SearchIndex;
  /**
   * Holds for every row of the one table that a query reads, and ends the query once nobody wants its answer; missing
   * where queries are cancelled from outside.
   */
  readonly whileWanted?: Expression<SqlBool>;
}

/** Indices of media: whose order is that of lists, and of some that are rare. */
export type MediaIndex =
  | 'media_latest'
  | 'media_in_folder'
  | 'media_newest'
  | 'media_newest_in_folder'
  | 'media_latest_of_day'
  | 'media_unfinished'
  | 'media_films';

/** Finds what a search finds (`media/search.ts`) without reading every item. */
export interface SearchIndex {
  /**
   * @param most more hits than these need not be found
   * @returns null where every item has to be read: the text is too short, the index lacks the workspace, or it finds more than `most`
   */
  find(queries: Queries, workspaceId: Uuid, text: string, most: number): Promise<SearchHits | null>;
}

/** The listed media of a workspace that a search finds. */
export interface SearchHits {
  readonly total: number;
  /** Holds for the media that are among them, whatever else a query asks of those. */
  readonly areHits: Expression<SqlBool>;
  /** Whether only the total is known, so that every item is looked at for them. */
  readonly areScanned?: boolean;
}

/**
 * What a database supplies to the repositories. Failures that may pass (busy, full, out of reach) come out of every
 * method and query as a `Refusal` `unavailable`, the cause kept.
 */
export interface Store {
  /** For single queries: each sees everything that was committed before it starts. */
  readonly reads: Queries;
  /**
   * Prepares a query for a row or a few that answers at once, where {@link reads} queues, and sees as much. The rows are
   * shared by all who ask. Only a database within the process can, so it may be missing.
   */
  readonly readAtOnce?: <Row>(sql: string) => (...parameters: readonly Uuid[]) => readonly Row[];
  /**
   * The same for a server: prepares a query that is sent together with others of its kind. It sees as much as a query
   * by {@link reads}.
   */
  readonly readTogether?: <Row>(
    query: CompiledQuery<Row>,
  ) => (...parameters: readonly Uuid[]) => Promise<readonly Row[]>;
  /** Several queries that see the database as of one point in time. */
  snapshot<T>(work: (snapshot: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for rows that are pulled: the transaction is open until the iteration ends, also where it ends early. The
   * reader must not await anything else of this database meanwhile, which may wait for the same connection.
   */
  pull<T>(read: (snapshot: Queries) => AsyncIterable<T>): AsyncIterable<T>;
  /**
   * Runs a scan away from this thread, or at the server, within the workspace's share of scans. It sees everything that was
   * committed before it starts.
   *
   * @throws Refusal `busy` where too many wait; also once the caller is gone, which ends it
   */
  scan<Parameters extends readonly unknown[], Result>(
    scan: Scan<Parameters, Result>,
    caller: ScanCaller,
    ...parameters: Parameters
  ): Promise<Result>;
  /**
   * All or nothing; durable when it resolves. A throw undoes everything. Each query sees what was committed before it
   * (read committed), so what a write is decided upon is locked before it is read: the row, or by {@link Dialect.lock}
   * what has none. `work` awaits nothing but its own queries, since others wait for it, and may be run anew from its
   * beginning, where the database undid it.
   */
  transact<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for what isn't just a few rows. Where the database is kept on a disk of which some is to stay free, each
   * purpose leaves its part of that: throws Refusal `storage_low` before anything is done.
   */
  transactFor<T>(purpose: WritePurpose, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * The same for one statement, which is a transaction by itself: a row that it waits for and then leaves unchanged is
   * locked no longer than the statement takes, and over a network it needs one way there and back.
   */
  changeFor<T>(purpose: WritePurpose, statement: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Resolves when everything that reads can see is durable. Another's commit can be seen a little before that: whoever
   * destroys something because its row is gone asks first, or the row might be there again after a power cut.
   */
  durable(): Promise<void>;
  /**
   * The same for a row that was changed at a given time, by the clock of this machine; null where it is durable. Asked
   * before a result is shown to somebody who didn't wait for the work itself, as it acknowledges the work to him.
   */
  whenDurable(changedAt: number): Promise<void> | null;
  readonly dialect: Dialect;
}

/** The caller of a scan. */
export interface ScanCaller {
  /** The workspace whose share of scans it takes. */
  readonly workspaceId: Uuid;
  /** Aborted when nobody wants the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a scan reads from, in whatever thread it runs. */
export interface ScanStore extends Pick<Store, 'reads' | 'snapshot' | 'pull' | 'dialect'> {
  /** To be called between two queries of a scan that has many; throws once nobody wants the answer any more. */
  requireWanted(): void;
  /**
   * Called with the bytes of memory that a scan leaves to the collector, where it runs in the thread that serves
   * requests.
   */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reading whose cost grows with the rows of a workspace. Where the database is within this process it runs in a thread of
 * its own, which knows it by its name; what goes in and comes out is copied, so it is plain data, and not much.
 */
export interface Scan<Parameters extends readonly unknown[], Result> {
  readonly name: string;
  run(store: ScanStore, ...parameters: Parameters): Promise<Result>;
}

/** For {@link Store.pull}: what is read within a transaction, which is begun by the first pull. */
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
