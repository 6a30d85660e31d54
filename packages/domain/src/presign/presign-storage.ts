import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/** Where a client sends a file with PUT, and the headers besides `Content-Length` and `Host`. */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Apart from published objects and never served. */
export interface PresignStorage {
  /**
   * The receiver refuses another size, type or id, a changed signature, and late requests. The last complete file
   * counts.
   */
  address(presigned: PresignedUpload): Promise<UploadAddress>;
  /**
   * A snapshot. `publish` puts exactly these bytes under the key (`Refusal` `unavailable` where they were replaced
   * meanwhile); `discard` doesn't remove the upload.
   */
  take(id: Uuid): Promise<StagedObject | null>;
  remove(id: Uuid): Promise<void>;
  list(): AsyncIterable<ListedUpload>;
}

export interface ListedUpload {
  readonly id: Uuid;
  readonly size: number;
  /** By the storage's clock. */
  readonly modifiedAt: number;
}

/** For a storage without an HTTP server of its own. */
export interface PresignReceiver {
  /** null when the address was changed or has expired. */
  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null;
  /** Durable, over an earlier file. Nothing is stored of another size, or when the body throws. */
  receive(
    presigned: Pick<PresignedUpload, 'id' | 'size'>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<'kept' | 'wrong_size'>;
}
