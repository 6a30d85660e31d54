import type {
  BestTimesRepository,
  CoverQueue,
  DatabaseBackups,
  DuplicateRepository,
  FitQueue,
  FolderRepository,
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
import type { ScanQueue } from './scan.ts';
import type { Store } from './store.ts';

/** Connections to a server, of this process. */
export interface PoolFigures {
  /** The most that there may be. */
  readonly max: number;
  /** In use, idle, or being made. */
  readonly open: number;
  readonly idle: number;
  /** Queries and transactions that wait for one. */
  readonly waiting: number;
}

export interface Repositories {
  readonly library: LibraryRepository;
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

/** What became of the search index. */
export interface SearchIndexReport {
  /** Put into it, or taken out, where it is kept behind what is written. */
  readonly entries: number;
  /** Why searches have to look at every item of a workspace, with what helps; null where they haven't to. */
  readonly obstacle: string | null;
}

/**
 * The repositories over one database, open in any number of processes at once. Where the database is busy for too
 * long, full or out of reach, every method throws `Refusal` `unavailable`, the cause kept.
 */
export interface Database extends Repositories, ScanQueue {
  /**
   * Brings the schema up to date, all or nothing. Of several processes that start together one does it, the others
   * wait. Answers the names of the migrations that this call ran, in order.
   *
   * @throws UnusableDatabase when it was made by a newer program or another one, when it takes no writes, or when this
   * user may not change it
   */
  migrate(): Promise<readonly string[]>;
  /**
   * Which migrations were run, and which are missing. A database in which none was run holds nothing of ours.
   *
   * @throws UnusableDatabase when it was made by a newer program
   */
  migrations(): Promise<MigrationState>;
  /** Resolves when the database answers and lacks no migration; throws `Refusal` `unavailable` otherwise. */
  check(): Promise<void>;
  /** Resolves when the database would take writes, and writes nothing; throws `Refusal` `unavailable` otherwise. */
  checkWrites(): Promise<void>;
  /** Large writes that may run at once while small reads and writes still find room; further ones should wait. */
  readonly maxWrites: number;
  readonly rows: RowAccess;
  /** Makes copies while it is in use; null where the database has tools of its own. */
  readonly backups: DatabaseBackups | null;
  /**
   * Gives space that deletions have freed back to the disk, in short transactions, until there is no more or the signal
   * is aborted; answers how many bytes. null where the database's server does that.
   */
  readonly giveBack: ((signal: AbortSignal) => Promise<number>) | null;
  /**
   * Makes the search index, or brings it up to date, in short steps beside other work, until it is or the signal is aborted.
   * Searches are exact at any time: what it lacks they look at. To be called now and then, in any number of processes.
   *
   * @throws Refusal `unavailable` where somebody else writes for too long
   */
  keepSearchIndex(signal: AbortSignal): Promise<SearchIndexReport>;
  /** Figures of its connections; null where it needs none. */
  readonly pool: (() => PoolFigures) | null;
  /** Closes it. Nothing may be running or requested any more. */
  close(): Promise<void>;
}

/** All rows of a database, whatever they mean: for copying them to another. */
export interface RowAccess extends Pick<Store, 'reads' | 'transact'> {
  /** Names the database in messages, without a password. */
  readonly place: string;
  /**
   * Does the work while no process can write to a table of {@link COPIED_TABLES}: writes wait, and are refused as
   * `unavailable` when they have waited too long. Reads go on. A kill releases the tables as the end of the work does.
   */
  holdStill<T>(work: () => Promise<T>): Promise<T>;
  /** Whether an error says that somebody else was writing for too long. */
  isBusy(error: unknown): boolean;
}
