import type {
  ArchiveRepository,
  AuditRepository,
  BestTimesRepository,
  CalendarRepository,
  DatabaseBackups,
  DeletionRepository,
  DeliveryRepository,
  DueWork,
  DuplicateRepository,
  EventRepository,
  FenceRepository,
  FolderRepository,
  FreeSpace,
  IdempotencyRepository,
  JobQueue,
  LibraryRepository,
  MediaRepository,
  ObjectChecks,
  PersonRepository,
  PostRepository,
  PresignRepository,
  PreviewRepository,
  ProcessingRepository,
  ProfileRepository,
  ResumableRepository,
  SessionRepository,
  TokenRepository,
  TrashRepository,
  UploadRepository,
  WebhookRepository,
  WorkspaceRepository,
} from '@postshelf/domain';
import type { Queries } from './dialect.ts';
import type { ScanQueue } from './scan.ts';
import type { Store } from './store.ts';

export interface PoolFigures {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Number of waiting queries and transactions. */
  readonly waiting: number;
}

export interface Repositories {
  /**
   * Makes every write throw `Refusal` `unavailable` with this message, except writes of the library's own row and of
   * the fence. null allows writes again. The repositories of a moved database refuse writes in any case.
   */
  refuseWrites(message: string | null): void;
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly deletions: DeletionRepository;
  readonly workspaces: WorkspaceRepository;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly trashed: TrashRepository;
  readonly jobs: JobQueue;
  readonly presign: PresignRepository;
  readonly resumable: ResumableRepository;
  readonly processing: ProcessingRepository;
  readonly uploads: UploadRepository;
  readonly duplicates: DuplicateRepository;
  readonly previews: PreviewRepository;
  readonly profiles: ProfileRepository;
  readonly posts: PostRepository;
  readonly bestTimes: BestTimesRepository;
  readonly calendars: CalendarRepository;
  readonly archives: ArchiveRepository;
  readonly events: EventRepository;
  readonly objectChecks: ObjectChecks;
  readonly dueWork: DueWork;
  readonly tokens: TokenRepository;
  readonly people: PersonRepository;
  readonly idempotency: IdempotencyRepository;
  readonly sessions: SessionRepository;
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly audit: AuditRepository;
}

export interface MigrationState {
  readonly isNew: boolean;
  readonly pending: readonly string[];
}

export interface SearchIndexReport {
  /** Entries added or removed; always 0 if the database maintains the index itself. */
  readonly entries: number;
  /** The reason why searches have to read every item of a workspace, with a remedy; null if an index is used. */
  readonly obstacle: string | null;
}

/**
 * The repositories of one database, which any number of processes may have open. While it is busy for too long, full or
 * unreachable, every method throws `Refusal` `unavailable`.
 */
export interface Database extends Repositories, ScanQueue {
  /**
   * Runs all pending migrations in one transaction, and returns their names. If several processes call it, one migrates
   * and the others wait.
   *
   * @param mayShare whether a library may be created next to another program's tables; default false
   * @throws UnusableDatabase when another or a newer program created the database, when the database takes no writes,
   *   or when this user isn't allowed to change its schema
   */
  migrate(mayShare?: boolean): Promise<readonly string[]>;
  /**
   * Returns which migrations are pending, and whether none has run yet.
   *
   * @throws UnusableDatabase when a newer program created the database
   */
  migrations(): Promise<MigrationState>;
  /** Throws `Refusal` `unavailable` unless the database answers and all migrations have run. */
  check(): Promise<void>;
  /** Throws `Refusal` `unavailable` unless the database would take writes; writes nothing. */
  checkWrites(): Promise<void>;
  /** Returns the time of the database's server; null if the database uses this machine's clock. */
  readonly now: (() => Promise<number>) | null;
  /** Maximum number of concurrent writes that don't delay small reads and writes; callers queue further writes. */
  readonly maxWrites: number;
  readonly rows: RowAccess;
  /** Free space for new content; null if the disk isn't this machine's, or isn't limited. */
  readonly space: Pick<FreeSpace, 'has'> | null;
  /** Copies the database; null if the server has its own backup tools. */
  readonly backups: DatabaseBackups | null;
  /**
   * Releases disk space that deletions have left free, until none is left or the signal is aborted. Resolves with the
   * number of released bytes. null if the server does this itself.
   */
  readonly vacuum: ((signal: AbortSignal) => Promise<number>) | null;
  /**
   * Brings the search index up to date, in short steps; searches are exact meanwhile. Call it periodically, in any
   * number of processes.
   *
   * @throws Refusal `unavailable` if the database is full, busy or unreachable
   */
  keepSearchIndex(signal: AbortSignal): Promise<SearchIndexReport>;
  readonly pool: (() => PoolFigures) | null;
  /** This must be the last call, and no other call may still be running. */
  close(): Promise<void>;
}

/** Access to plain rows, for copying them to another database. */
export interface RowAccess {
  /** Writes without emitting events. */
  readonly write: Store['write'];
  readonly reads: Queries;
  /** The database's address, without a password. */
  readonly place: string;
  /**
   * Runs the work while nobody can write to a table of {@link COPIED_TABLES}: writes wait, and fail as `unavailable`
   * after their timeout. If this process is killed, the tables are released.
   */
  withoutWrites<T>(work: (transaction: Queries) => Promise<T>): Promise<T>;
  isBusy(error: unknown): boolean;
}
