import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/**
 * The URL to which a client sends a file with PUT, and the headers that it sends in addition to `Content-Length` and
 * `Host`.
 */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Holds uploads apart from published objects, and never serves them. */
export interface PresignStorage {
  /**
   * Makes an upload URL. The receiver refuses requests with a different size, type or id, with a changed signature, or
   * after expiry. If a client sends several files, the last complete one is used.
   */
  address(presigned: PresignedUpload): Promise<UploadAddress>;
  /**
   * Takes a snapshot of an upload. `publish` stores exactly these bytes under the key (`Refusal` `unavailable` if they
   * were replaced meanwhile); `discard` doesn't purge the upload.
   */
  take(id: Uuid): Promise<StagedObject | null>;
  purge(id: Uuid): Promise<void>;
  list(): AsyncIterable<ListedUpload>;
}

export interface ListedUpload {
  readonly id: Uuid;
  readonly size: number;
  /** The time by the storage's clock. */
  readonly modifiedAt: number;
}

/** Receives uploads for a storage without its own HTTP server. */
export interface PresignReceiver {
  /** Returns null if the URL was changed or has expired. */
  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null;
  /** Stores a file durably, replacing an earlier one. Stores nothing if the size is wrong or the body throws. */
  receive(
    presigned: Pick<PresignedUpload, 'id' | 'size'>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<'kept' | 'wrong_size'>;
}
