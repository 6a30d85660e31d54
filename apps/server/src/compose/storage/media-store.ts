import type {
  FreeSpace,
  ObjectStorage,
  PresignReceiver,
  PresignStorage,
  PreviewStorage,
  StorageMarker,
  Trash,
} from '@postshelf/domain';

/** The storage of media, and how their links are served. */
export interface MediaStore extends Omit<MediaStorage, 'withSecret'> {
  readonly presign: PresignStorage;
  /** null where the storage takes presigned uploads itself. */
  readonly presignReceiver: PresignReceiver | null;
}

/** The storage before the secret that signs upload addresses is known. */
export interface MediaStorage {
  readonly storage: ObjectStorage;
  readonly previews: PreviewStorage;
  readonly marker: StorageMarker;
  readonly trash: Trash;
  /** Its name in messages. */
  readonly place: string;
  /** Where links begin, without a trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address to redirect readers of a link to; null: this service streams. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Origins other than the service's own that clients send files to and get files from. */
  readonly origins: readonly string[];
  /** Why the storage doesn't work yet, for the log; null when it does. */
  readonly outOfReach: unknown;
  /** The disk that media are kept on; null where they are kept elsewhere. */
  readonly freeSpace: FreeSpace | null;
  withSecret(secret: string): Promise<MediaStore>;
  close(): void;
}

/** What can be read from the storage before anything is created there. */
export interface UnopenedStorage extends Pick<MediaStorage, 'marker' | 'place' | 'close'> {
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  readonly isOutOfReach: boolean;
  /** Whether there is anything beside objects: presigned uploads, or the trash. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
  /** Opens it, and creates a missing folder. */
  open(): Promise<MediaStorage>;
}
