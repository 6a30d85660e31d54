import type { Redirects } from '@postshelf/api';
import type {
  FreeSpace,
  LinkPlace,
  LocalCopies,
  ObjectStorage,
  PresignReceiver,
  PresignStorage,
  PreviewStorage,
  ResumableStorage,
  StorageMarker,
  Trash,
} from '@postshelf/domain';

export interface MediaStore extends Omit<MediaStorage, 'withSecret'> {
  readonly presign: PresignStorage;
  /** null if the storage itself receives presigned uploads. */
  readonly presignReceiver: PresignReceiver | null;
}

/** The storage, opened but without the secret that signs upload URLs. */
export interface MediaStorage {
  readonly storage: ObjectStorage;
  readonly resumable: ResumableStorage;
  readonly previews: PreviewStorage;
  readonly marker: StorageMarker;
  readonly trash: Trash;
  readonly place: string;
  readonly mediaBase: string;
  readonly links: LinkPlace;
  /** null if this service serves all objects itself. */
  readonly redirects: Redirects | null;
  /** null if objects are on this machine's disk, or if local copies are disabled. */
  readonly localCopies: LocalCopies | null;
  /** The origins other than the service's own with which clients exchange files. */
  readonly origins: readonly string[];
  /** The error to log if the storage can't be reached yet; null if it can. */
  readonly outOfReach: unknown;
  /** null if media aren't on a disk. */
  readonly freeSpace: FreeSpace | null;
  withSecret(secret: string): Promise<MediaStore>;
  close(): void;
}

export interface UnopenedStorage extends Pick<MediaStorage, 'marker' | 'place' | 'close'> {
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  readonly isOutOfReach: boolean;
  /**
   * Whether the storage contains presigned uploads, or objects in the trash. `storage.list` doesn't list these.
   */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
  open(): Promise<MediaStorage>;
}
