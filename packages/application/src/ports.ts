import type {
  ArchiveRepository,
  AuditRepository,
  BestTimesRepository,
  CalendarRepository,
  Clock,
  CoverMaker,
  DeletionRepository,
  DeliveryRepository,
  Digester,
  DuplicateRepository,
  EventRepository,
  FenceRepository,
  FolderRepository,
  FrameTaker,
  FreeSpace,
  IdempotencyRepository,
  IdempotencySeals,
  IdentityProvider,
  Ids,
  ImageConverter,
  JobQueue,
  LibraryLocations,
  LibraryRepository,
  LinkFetcher,
  LinkSigner,
  LocalCopies,
  LocationFinder,
  MediaFitter,
  MediaInspector,
  MediaRepository,
  ObjectChecks,
  ObjectStorage,
  PersonRepository,
  PostRepository,
  PresignRepository,
  PresignStorage,
  PreviewMaker,
  PreviewRepository,
  PreviewStorage,
  ProcessingRepository,
  ProfileRepository,
  RemoteFiles,
  ResumableRepository,
  ResumableStorage,
  SessionRepository,
  SessionSecrets,
  StorageMarker,
  TokenRepository,
  TokenSigner,
  Trash,
  TrashRepository,
  UploadRepository,
  WebhookRepository,
  WebhookSecrets,
  WebhookSender,
  WorkspaceRepository,
} from '@postshelf/domain';
import type { FairShares } from './fair-share/fair-shares.ts';
import type { SharedWork } from './fair-share/shared-work.ts';

export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly deletions: DeletionRepository;
  readonly workspaces: WorkspaceRepository;
  readonly tokens: TokenRepository;
  readonly people: PersonRepository;
  /** null if people sign in with links only. */
  readonly identityProvider: IdentityProvider | null;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly trashed: TrashRepository;
  readonly processing: ProcessingRepository;
  readonly jobs: JobQueue;
  readonly remoteFiles: RemoteFiles;
  readonly presign: PresignRepository;
  readonly presignStorage: PresignStorage;
  readonly resumable: ResumableRepository;
  readonly resumableStorage: ResumableStorage;
  readonly storage: ObjectStorage;
  /** null if objects are on this machine's disk, or no copies are to be made. */
  readonly localCopies: LocalCopies | null;
  readonly trash: Trash;
  readonly marker: StorageMarker;
  readonly objectChecks: ObjectChecks;
  readonly inspector: MediaInspector;
  readonly location: LocationFinder;
  /** null if images that would have to be converted are refused. */
  readonly converter: ImageConverter | null;
  readonly covers: CoverMaker;
  readonly frames: FrameTaker;
  readonly previewMaker: PreviewMaker;
  readonly previewStorage: PreviewStorage;
  readonly previews: PreviewRepository;
  readonly fitter: MediaFitter;
  readonly uploads: UploadRepository;
  readonly duplicates: DuplicateRepository;
  readonly digest: Digester;
  readonly profiles: ProfileRepository;
  readonly posts: PostRepository;
  readonly bestTimes: BestTimesRepository;
  readonly calendars: CalendarRepository;
  readonly archives: ArchiveRepository;
  readonly events: EventRepository;
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly audit: AuditRepository;
  readonly webhookSecrets: WebhookSecrets;
  readonly webhookSender: WebhookSender;
  readonly idempotency: IdempotencyRepository;
  readonly idempotencySeals: IdempotencySeals;
  readonly sessions: SessionRepository;
  readonly sessionSecrets: SessionSecrets;
  readonly signer: TokenSigner;
  readonly linkSigner: LinkSigner;
  readonly linkFetcher: LinkFetcher;
  /**
   * Tells whether the database's disk has space for data that no quota limits, such as posts; null with PostgreSQL,
   * because the free space on its disk can't be measured from here.
   */
  readonly databaseSpace: Pick<FreeSpace, 'has'> | null;
}

export interface Settings {
  /** Whether coordinates are removed from files of workspaces without a setting of their own. */
  readonly stripsLocation: boolean;
  /**
   * Whether readers can get media directly from the storage. If they can, deleting an item's row isn't enough to hide
   * its file.
   */
  readonly isPublic: boolean;
  readonly locations: LibraryLocations;
  /** Milliseconds for which deleted items can be restored; 0 if they can't be restored. */
  readonly undoTime: number;
}

export interface Shared {
  readonly shares: FairShares;
  readonly previewWork: SharedWork;
  readonly copyWork: SharedWork;
}

export type Resources = Ports & Settings & Shared;
