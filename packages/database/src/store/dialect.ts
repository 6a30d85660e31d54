import type { ChangedKind, EventPosition, EventType, MediaStatus, Uuid } from '@postshelf/domain';
import type { AliasableExpression, Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely';
import type { Flag, Tables } from './tables.ts';

export type Queries = Kysely<Tables>;

/**
 * What differs between the databases. Rows are locked by Kysely's methods, which SQLite's query compiler omits: there a
 * write transaction locks the whole database.
 */
export interface Dialect {
  /**
   * Takes named locks until the transaction ends. Call it before the first read of the guarded rows. Several are taken
   * in one order, against deadlocks. Does nothing where a write transaction locks the whole database.
   *
   * @param names ids of workspaces; for `duplicates`, a workspace's id followed by the hash of a file
   */
  lock(
    queries: Queries,
    guarded: 'folders' | 'duplicates' | 'webhooks' | 'quotas' | 'people' | 'calendars' | 'archives',
    names: readonly string[],
  ): Promise<void>;
  /**
   * An id that no row has, sorted first. In the unique index of siblings it stands for "no parent", as nulls would be
   * distinct.
   */
  readonly noId: Uuid;
  typedId(id: Uuid): Expression<Uuid>;
  /** The first `count` bytes of a text in UTF-8; the last character may be cut. */
  firstBytes(text: Expression<string | null>, count: number): AliasableExpression<Buffer | null>;
  /**
   * Media by the given index, as the planner might choose a slower one. For a partial index the query must contain its
   * condition.
   */
  mediaBy(queries: Queries, index: MediaIndex): SelectQueryBuilder<Tables, 'media', object>;
  /** Posts in a `from`, by the index that has all that best times read: with statistics SQLite takes a slower one. */
  readonly learnedPosts: Expression<unknown>;
  /**
   * Whether an id is among `ids`, in a statement that stays prepared whatever their number. Missing where another
   * statement costs next to nothing.
   */
  isAmong?(id: Expression<Uuid | null>, ids: readonly Uuid[]): Expression<SqlBool>;
  /** Counted from 1; 0 if the text isn't contained. */
  readonly position: 'strpos' | 'instr';
  readonly searchIndex: SearchIndex;
  readonly outbox: Outbox;
  /** Queries block the thread that asks. */
  readonly isInProcess: boolean;
  /**
   * True for every row; ends the query once its result is no longer wanted. Missing if queries are cancelled from
   * outside.
   */
  readonly whileWanted?: Expression<SqlBool>;
}

/** Orders of lists, and two for rare items (unfinished ones, and films). */
export type MediaIndex =
  | 'media_latest'
  | 'media_in_folder'
  | 'media_newest'
  | 'media_newest_in_folder'
  | 'media_unfinished'
  | 'media_films';

/** What a transaction changed, which triggers have noted, and the events made of it. */
export interface Outbox {
  /** At the end of a write: what it changed, and where the library was moved to. */
  look(transaction: Queries): Promise<{ readonly movedTo: string | null; readonly changes: readonly NotedChange[] }>;
  /** Makes events of noted changes, as the transaction leaves the resources. All that is noted is forgotten. */
  tell(transaction: Queries, told: readonly ToldChange[], now: number): Promise<void>;
  forget(transaction: Queries): Promise<void>;
  /**
   * Gives events their positions once they are committed, in a transaction of its own. Missing where the order of the
   * commits is known at once.
   */
  readonly places?: {
    areLacking(queries: Queries): Promise<boolean>;
    give(transaction: Queries): Promise<void>;
    /** To all that are committed by now, even if another transaction is at it. */
    giveAll(transaction: Queries): Promise<void>;
    /** Resolves once all transactions have ended that began to write before. @throws Refusal `unavailable` if they don't */
    awaitWriters(read: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>): Promise<void>;
  };
  /** Forgets what programs have changed that don't end their writes like this one. Missing where the next write tells it. */
  forgetStray?(transaction: Queries): Promise<void>;
  newest(queries: Queries): Promise<EventPosition>;
}

/** See `typeOfChange`. */
export interface NotedChange {
  readonly resource_id: Uuid;
  readonly kind: ChangedKind;
  readonly before: MediaStatus | 'there' | null;
  readonly after: MediaStatus | 'there' | null;
  /** Whether somebody listens to its workspace. In SQLite 0 or 1. */
  readonly is_heard: boolean | Flag;
  /** Its workspace, if that has a quota. */
  readonly limited: Uuid | null;
  /** Bytes of media, or announced; only with a quota. */
  readonly size: number | null;
}

interface ToldChange {
  readonly resourceId: Uuid;
  readonly type: EventType;
}

export interface SearchIndex {
  /**
   * @param words each has to be found; as `searchWords` folds them
   * @param most above this number of hits the caller has no use for the result
   * @returns null if every item has to be read: a word can't be looked up, the workspace is missing, or there are
   * more than `most`
   */
  find(queries: Queries, workspaceId: Uuid, words: readonly string[], most: number): Promise<SearchHits | null>;
}

export interface SearchHits {
  readonly total: number;
  /** On `media`; a query may add others. */
  readonly areHits: Expression<SqlBool>;
}
