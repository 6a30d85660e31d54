import type { ChangedKind, EventPosition, EventType, MediaStatus, Uuid } from '@postshelf/domain';
import type { AliasableExpression, Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely';
import type { Flag, Tables } from './tables.ts';

export type Queries = Kysely<Tables>;

/**
 * The differences between the databases. Rows are locked with Kysely's methods, which SQLite's query compiler omits: in
 * SQLite, a write transaction locks the whole database.
 */
export interface Dialect {
  /**
   * Takes named locks until the transaction ends. Call it before the first read of the guarded rows. Several locks are
   * taken in a fixed order, to prevent deadlocks. Does nothing where a write transaction locks the whole database.
   *
   * @param names ids of workspaces; for `duplicates`, a workspace's id followed by the hash of a file
   */
  lock(
    queries: Queries,
    guarded: 'folders' | 'duplicates' | 'webhooks' | 'quotas' | 'people' | 'calendars' | 'archives' | 'jobs',
    names: readonly string[],
  ): Promise<void>;
  /**
   * An id that no row has and that sorts first. In the unique index of siblings it represents "no parent", because
   * nulls would be distinct.
   */
  readonly noId: Uuid;
  typedId(id: Uuid): Expression<Uuid>;
  /** Returns the first `count` bytes of a text in UTF-8; the last character may be cut. */
  firstBytes(text: Expression<string | null>, count: number): AliasableExpression<Buffer | null>;
  /**
   * Selects media with the given index, because the planner might choose a slower one. For a partial index the query
   * must contain its condition.
   */
  mediaBy(queries: Queries, index: MediaIndex): SelectQueryBuilder<Tables, 'media', object>;
  /**
   * The table of posts, for use after `from`. It names the index that covers all columns that best times read, because
   * with statistics SQLite would choose a slower index.
   */
  readonly learnedPosts: Expression<unknown>;
  /** Whether an id is among `ids`. The text of the statement doesn't depend on their number, so it stays prepared. */
  isAmong(id: Expression<Uuid | null>, ids: readonly Uuid[]): Expression<SqlBool>;
  /**
   * The function that returns the position at which a text contains another text, counted from 1; 0 if it doesn't
   * contain it.
   */
  readonly position: 'strpos' | 'instr';
  readonly searchIndex: SearchIndex;
  readonly outbox: Outbox;
  /** Whether queries block the calling thread. */
  readonly isInProcess: boolean;
  /**
   * A condition that is true for every row, and ends the query once its result is no longer wanted. Missing if queries
   * are cancelled from outside.
   */
  readonly whileWanted?: Expression<SqlBool>;
}

/** Indexes for the orders of lists, and two for rare items (unfinished items, and videos). */
export type MediaIndex =
  | 'media_latest'
  | 'media_in_folder'
  | 'media_newest'
  | 'media_newest_in_folder'
  | 'media_unfinished'
  | 'media_films';

/** Turns the changes of a transaction, which triggers have noted, into events. */
export interface Outbox {
  /** Returns, at the end of a write, the changes that it made, and where the library was moved to. */
  readChanges(
    transaction: Queries,
  ): Promise<{ readonly movedTo: string | null; readonly changes: readonly NotedChange[] }>;
  /** Makes events of changes, with the resources as the transaction leaves them. Deletes all noted changes. */
  emit(transaction: Queries, events: readonly NewEvent[], now: number): Promise<void>;
  clearChanges(transaction: Queries): Promise<void>;
  /**
   * Assigns positions to events in a separate transaction, after the events have been committed. Missing in a dialect
   * where the order of the commits is known beforehand.
   */
  readonly places?: {
    areLacking(queries: Queries): Promise<boolean>;
    give(transaction: Queries): Promise<void>;
    /**
     * Assigns positions to all events that are committed by now. Waits if another transaction is assigning positions.
     */
    giveAll(transaction: Queries): Promise<void>;
    /**
     * Resolves once all write transactions that were already running have ended.
     *
     * @throws Refusal `unavailable` if they don't
     */
    awaitWriters(read: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>): Promise<void>;
  };
  /**
   * Deletes noted changes of other programs, because other programs don't turn their changes into events at the end of
   * a write. Missing in a dialect where the next write turns them into events.
   */
  clearStrayChanges?(transaction: Queries): Promise<void>;
  newest(queries: Queries): Promise<EventPosition>;
}

/** A change that a trigger has noted, see `typeOfChange`. */
export interface NotedChange {
  readonly resource_id: Uuid;
  readonly kind: ChangedKind;
  readonly before: MediaStatus | 'there' | null;
  readonly after: MediaStatus | 'there' | null;
  /** Whether the change's workspace has webhooks or open streams. In SQLite 0 or 1. */
  readonly is_heard: boolean | Flag;
  /** The change's workspace if it has a quota; otherwise null. */
  readonly limited: Uuid | null;
  /** Size of a media item in bytes, stored or declared; only set if the workspace has a quota. */
  readonly size: number | null;
}

interface NewEvent {
  readonly resourceId: Uuid;
  readonly type: EventType;
}

export interface SearchIndex {
  /**
   * @param words folded by `searchWords`; an item is a hit if it contains all of them
   * @param max maximum number of hits; with more hits, the result would be of no use to the caller
   * @returns null if every item has to be read: a word can't be looked up, the workspace is missing, or there are more
   *   than `max` hits
   */
  find(queries: Queries, workspaceId: Uuid, words: readonly string[], max: number): Promise<SearchHits | null>;
}

export interface SearchHits {
  readonly total: number;
  /** A condition on `media`, to which a query may add further conditions. */
  readonly areHits: Expression<SqlBool>;
}
