import type {
  Clock,
  CoverMaker,
  DirectUploads,
  EngagementLog,
  FolderRepository,
  Ids,
  ImportQueue,
  LibraryPlaces,
  LibraryRepository,
  MediaInspector,
  MediaRepository,
  ObjectStorage,
  PostRepository,
  PresignedUploads,
  ProfileRepository,
  RemoteFiles,
  StorageMarker,
  TokenRepository,
  TokenSigner,
  Trash,
  WorkspaceRepository,
} from '@postshelf/domain';

/** Everything outside that use cases need. Each takes the few it uses: `Pick<Ports, 'folders' | 'clock'>`. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly library: LibraryRepository;
  readonly workspaces: WorkspaceRepository;
  readonly tokens: TokenRepository;
  readonly folders: FolderRepository;
  readonly media: MediaRepository;
  readonly imports: ImportQueue;
  readonly remoteFiles: RemoteFiles;
  readonly presigned: PresignedUploads;
  readonly uploads: DirectUploads;
  readonly storage: ObjectStorage;
  readonly trash: Trash;
  readonly marker: StorageMarker;
  /** What messages call the database and the storage. */
  readonly places: LibraryPlaces;
  readonly inspector: MediaInspector;
  readonly covers: CoverMaker;
  readonly profiles: ProfileRepository;
  readonly posts: PostRepository;
  readonly engagement: EngagementLog;
  readonly signer: TokenSigner;
}
