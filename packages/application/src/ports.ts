import type {
  BestTimesRepository,
  Clock,
  CoverMaker,
  CoverQueue,
  DeletionRepository,
  Digester,
  DuplicateRepository,
  FenceRepository,
  FitQueue,
  FolderRepository,
  FreeSpace,
  Ids,
  ImportQueue,
  LibraryLocations,
  LibraryRepository,
  LocationFinder,
  MediaFitter,
  MediaInspector,
  MediaRepository,
  ObjectChecks,
  ObjectStorage,
  PostRepository,
  PresignRepository,
  PresignStorage,
  PreviewMaker,
  PreviewRepository,
  PreviewStorage,
  ProfileRepository,
  RemoteFiles,
  RepeatRepository,
  RepeatSeals,
  SessionRepository,
  SessionSecrets,
  StorageMarker,
  TokenRepository,
  TokenSigner,
  Trash,
  WorkspaceRepository,
} from '@postshelf/domain';
import type { FairShares } from './fair-share/fair-shares.ts';
import type { SharedWork } from './previews/shared-work.ts';

/** All ports. Each use case takes the few that it needs: `Pick<Ports, 'folders' | 'clock'>`. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly deletions: DeletionRepository;
  readonly workspaces: WorkspaceRepository;
  readonly tokens: TokenRepository;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly imports: ImportQueue;
  readonly remoteFiles: RemoteFiles;
  readonly presign: PresignRepository;
  readonly presignStorage: PresignStorage;
  readonly storage: ObjectStorage;
  readonly trash: Trash;
  readonly marker: StorageMarker;
  readonly objectChecks: ObjectChecks;
  readonly inspector: MediaInspector;
  readonly location: LocationFinder;
  readonly covers: CoverMaker;
  readonly coverQueue: CoverQueue;
  readonly previewMaker: PreviewMaker;
  readonly previewStorage: PreviewStorage;
  readonly previews: PreviewRepository;
  readonly fitter: MediaFitter;
  readonly fitQueue: FitQueue;
  readonly duplicates: DuplicateRepository;
  readonly digest: Digester;
  readonly profiles: ProfileRepository;
  readonly posts: PostRepository;
  readonly bestTimes: BestTimesRepository;
  readonly repeats: RepeatRepository;
  readonly repeatSeals: RepeatSeals;
  readonly sessions: SessionRepository;
  readonly sessionSecrets: SessionSecrets;
  readonly signer: TokenSigner;
  /** The disk of the database, for content of any amount; null if the database's server has its own. */
  readonly databaseSpace: Pick<FreeSpace, 'has'> | null;
}

/** What the operator decided, as far as use cases depend on it. */
export interface Settings {
  /** Whether coordinates are removed from files of workspaces that don't say it themselves. */
  readonly stripsLocation: boolean;
  /** Whether readers get media from the storage itself, so that an object is reached without its row. */
  readonly isPublic: boolean;
  /** Names of the database and the storage, for messages. */
  readonly locations: LibraryLocations;
}

/** What all work of the process shares. */
export interface Shared {
  /** The slots of costly work. */
  readonly shares: FairShares;
  /** Lets concurrent requests for previews of one item share the work. */
  readonly previewWork: SharedWork;
}

/** All that use cases take their few parts from. */
export type Resources = Ports & Settings & Shared;
