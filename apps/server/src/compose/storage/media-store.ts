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
  /** null if the storage itself receives presigned uploads. */
  readonly presignReceiver: PresignReceiver | null;
}

/** The storage, opened but without the secret that signs upload addresses. */
export interface MediaStorage {
  readonly storage: ObjectStorage;
  readonly previews: PreviewStorage;
  readonly marker: StorageMarker;
  readonly trash: Trash;
  /** Its name in messages. */
  readonly place: string;
  /** The base address of links, without a trailing slash. */
  readonly mediaBase: string;
  /** Returns a short-lived address to which readers of a link are redirected; null: this service streams the object. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Origins other than the service's own that clients send files to and get files from. */
  readonly origins: readonly string[];
  /** The error for the log if the storage doesn't work yet; null if it does. */
  readonly outOfReach: unknown;
  /** The disk on which media are kept; null if they are kept elsewhere. */
  readonly freeSpace: FreeSpace | null;
  withSecret(secret: string): Promise<MediaStore>;
  close(): void;
}

/** What can be read from the storage before anything is created there. */
export interface UnopenedStorage extends Pick<MediaStorage, 'marker' | 'place' | 'close'> {
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  readonly isOutOfReach: boolean;
  /** Whether there is anything besides objects: presigned uploads, or objects in the trash. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
  /** Opens it, and creates a missing folder. */
  open(): Promise<MediaStorage>;
}
