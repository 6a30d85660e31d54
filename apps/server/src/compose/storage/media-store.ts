import type {
  FreeSpace,
  ObjectStorage,
  PresignReceiver,
  PresignStorage,
  PreviewStorage,
  StorageMarker,
  Trash,
} from '@postshelf/domain';

/** Where media are kept, and how their links are served. */
export interface MediaStore extends Omit<MediaStorage, 'withSecret'> {
  readonly presign: PresignStorage;
  /** null where the storage takes presigned uploads itself. */
  readonly presignReceiver: PresignReceiver | null;
}

/** The same before it is known what signs the addresses of presigned uploads. */
export interface MediaStorage {
  readonly storage: ObjectStorage;
  readonly previews: PreviewStorage;
  readonly marker: StorageMarker;
  readonly trash: Trash;
  /** What messages call it. */
  readonly place: string;
  /** Where links begin, without a trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address to send readers of a link to; null: this service streams. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Origins beside the service's own that clients are sent to, for files and with them. */
  readonly origins: readonly string[];
  /** Why the storage doesn't work yet, for the log; null when it does. */
  readonly outOfReach: unknown;
  /** The disk that media fill; null where they go elsewhere. */
  readonly freeSpace: FreeSpace | null;
  withSecret(secret: string): Promise<MediaStore>;
  close(): void;
}

/** What can be asked of where media are kept, before anything is made there. */
export interface UnopenedStorage extends Pick<MediaStorage, 'marker' | 'place' | 'close'> {
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  readonly isOutOfReach: boolean;
  /** Whether there is anything beside objects: presigned uploads, or what was set aside. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
  /** Makes the folder where it is missing. */
  open(): Promise<MediaStorage>;
}
