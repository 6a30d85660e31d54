import { afterEach, beforeEach } from 'bun:test';
import type {
  ArchiveRepository,
  AuditRepository,
  BestTimesRepository,
  CalendarRepository,
  DeletionRepository,
  DeliveryRepository,
  DueWork,
  DuplicateRepository,
  EventRepository,
  FenceRepository,
  FolderRepository,
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

/** The repositories of one database. */
export interface Stores {
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly deletions: DeletionRepository;
  readonly workspaces: WorkspaceRepository;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly trashed: TrashRepository;
  readonly dueWork: DueWork;
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
  readonly tokens: TokenRepository;
  readonly people: PersonRepository;
  readonly idempotency: IdempotencyRepository;
  readonly sessions: SessionRepository;
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly audit: AuditRepository;
}

/** Two instances that share one database, like the instances of two processes. */
export interface OpenedStores {
  readonly one: Stores;
  readonly two: Stores;
  close(): Promise<void>;
}

/** Opens an empty store for one test. */
export type OpenStores = () => Promise<OpenedStores>;

/** Opens a store before each test of the `describe` it is called in, and closes it after. */
export function storesOfEachTest(open: OpenStores): Pick<OpenedStores, 'one' | 'two'> {
  let opened: OpenedStores | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const current = (): OpenedStores => {
    if (!opened) throw new Error('The store is open only within a test');
    return opened;
  };
  return {
    get one() {
      return current().one;
    },
    get two() {
      return current().two;
    },
  };
}
