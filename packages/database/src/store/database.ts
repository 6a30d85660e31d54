import type {
  BestTimesRepository,
  CoverQueue,
  DatabaseBackups,
  DeletionRepository,
  DuplicateRepository,
  FenceRepository,
  FitQueue,
  FolderRepository,
  FreeSpace,
  ImportQueue,
  LibraryRepository,
  MediaRepository,
  ObjectChecks,
  PostRepository,
  PresignRepository,
  PreviewRepository,
  ProfileRepository,
  RepeatRepository,
  SessionRepository,
  TokenRepository,
  WorkspaceRepository,
} from '@postshelf/domain';
import type { Queries } from './dialect.ts';
import type { ScanQueue } from './scan.ts';
import type { Store } from './store.ts';

/** Figures of this process's connection pool. */
export interface PoolFigures {
  /** The maximum number of connections. */
  readonly max: number;
  /** Connections in use, idle, or being opened. */
  readonly open: number;
  readonly idle: number;
  /** Queries and transactions that wait for a connection. */
  readonly waiting: number;
}

export interface Repositories {
  /**
   * Every write but to the library's own row and fence throws `Refusal` `unavailable` with the message; null ends that.
   */
  refuseWrites(message: string | null): void;
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly deletions: DeletionRepository;
  readonly workspaces: WorkspaceRepository;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly imports: ImportQueue;
  readonly presign: PresignRepository;
  readonly coverQueue: CoverQueue;
  readonly fitQueue: FitQueue;
  readonly duplicates: DuplicateRepository;
  readonly previews: PreviewRepository;
  readonly profiles: ProfileRepository;
  readonly posts: PostRepository;
  readonly bestTimes: BestTimesRepository;
  readonly objectChecks: ObjectChecks;
  readonly tokens: TokenRepository;
  readonly repeats: RepeatRepository;
  readonly sessions: SessionRepository;
}

export interface MigrationState {
  readonly isNew: boolean;
  /** Names, in order. */
  readonly pending: readonly string[];
}

/** The outcome of maintaining the search index. */
export interface SearchIndexReport {
  /** Entries added or removed; always 0 if the database maintains the index itself. */
  readonly entries: number;
  /** Why searches have to read every item of a workspace, with a remedy; null if an index is used. */
  readonly obstacle: string | null;
}

/**
 * The repositories over one database, which any number of processes may have open. While it is busy for too long, full
 * or out of reach, every method throws `Refusal` `unavailable`.
 */
export interface Database extends Repositories, ScanQueue {
  /**
   * Runs all pending migrations in one transaction, and returns their names. Of several processes one migrates and the
   * others wait.
   *
   * @param mayShare whether a library may be made beside another program's tables; default false
   * @throws UnusableDatabase when a newer or another program made the database, it takes no writes, or this user may
   * not change its schema
   */
  migrate(mayShare?: boolean): Promise<readonly string[]>;
  /**
   * Which migrations are pending, and whether none has run yet.
   *
   * @throws UnusableDatabase when a newer program made the database
   */
  migrations(): Promise<MigrationState>;
  /** Resolves when the database answers and lacks no migration; throws `Refusal` `unavailable` otherwise. */
  check(): Promise<void>;
  /** Resolves when the database would take writes, and writes nothing; throws `Refusal` `unavailable` otherwise. */
  checkWrites(): Promise<void>;
  /**
   * How many large writes may run at once without delaying small reads and writes; callers should queue further ones.
   */
  readonly maxWrites: number;
  readonly rows: RowAccess;
  /** What new content may take of the database's disk; null if that isn't this machine's, or isn't limited. */
  readonly space: Pick<FreeSpace, 'has'> | null;
  /** Copies the database while it is in use; null if the server has its own backup tools. */
  readonly backups: DatabaseBackups | null;
  /**
   * Returns space freed by deletions to the disk, until none is left or the signal is aborted; resolves with the bytes.
   * null if the server does that.
   */
  readonly vacuum: ((signal: AbortSignal) => Promise<number>) | null;
  /**
   * Brings the search index up to date, in short steps. Searches are exact meanwhile. Call it periodically, in any
   * number of processes.
   *
   * @throws Refusal `unavailable` if the database is full, busy or out of reach
   */
  keepSearchIndex(signal: AbortSignal): Promise<SearchIndexReport>;
  /** Figures of the connection pool; null if the database has none. */
  readonly pool: (() => PoolFigures) | null;
  /** Closes the database. No calls may be running or follow. */
  close(): Promise<void>;
}

/** Access to the plain rows of a database, for copying them to another one. */
export interface RowAccess extends Pick<Store, 'write'> {
  /** For single statements, each of which sees everything that was committed before it. */
  readonly reads: Queries;
  /** Names the database in messages, without a password. */
  readonly place: string;
  /**
   * Runs the work while nobody can write to a table of {@link COPIED_TABLES}: writes wait, and fail as `unavailable`
   * after their timeout. If this process is killed, the tables are released.
   */
  withoutWrites<T>(work: (transaction: Queries) => Promise<T>): Promise<T>;
  /** Whether an error means that the lock wasn't free in time. */
  isBusy(error: unknown): boolean;
}
