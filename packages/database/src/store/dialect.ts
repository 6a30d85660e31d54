import type { Uuid } from '@postshelf/domain';
import type { AliasableExpression, Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely';
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
  firstBytes(text: Expression<string | null>, count: number): AliasableExpression<Buffer | null>;
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
  /** Whether queries run in this process, and block the thread that asks. */
  readonly isInProcess: boolean;
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

/** Finds the hits of a search (`search/search-key.ts`) without reading every item. */
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
