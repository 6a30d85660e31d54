import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/** Where a client sends a file with PUT, and the headers besides `Content-Length` and `Host`. */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What clients sent directly, apart from published objects and never served. */
export interface PresignStorage {
  /**
   * Accepts this file and no other: the receiver refuses another size, type or id, a changed signature, and late
   * requests. The last complete file counts.
   */
  address(presigned: PresignedUpload): Promise<UploadAddress>;
  /**
   * A snapshot of the file sent for the id; null when there is none. `publish` puts exactly these bytes under the key
   * (`Refusal` `unavailable` where they were replaced and the storage can only detect that); `discard` doesn't remove
   * the upload.
   */
  take(id: Uuid): Promise<StagedObject | null>;
  /** Does nothing when there is none. */
  remove(id: Uuid): Promise<void>;
  /** All that weren't removed, unordered. */
  list(): AsyncIterable<ListedUpload>;
}

export interface ListedUpload {
  readonly id: Uuid;
  readonly size: number;
  /** Milliseconds since the epoch, by the storage's clock. */
  readonly modifiedAt: number;
}

/** For a storage without an HTTP server of its own. */
export interface PresignReceiver {
  /** null when the address was changed or has expired. */
  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null;
  /**
   * Durable, over an earlier file. `wrong_size`, and nothing stored, if it isn't the announced one; also nothing when
   * the body throws.
   */
  receive(presigned: PresignedUpload, body: AsyncIterable<Uint8Array>): Promise<'kept' | 'wrong_size'>;
}
