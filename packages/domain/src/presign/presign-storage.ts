import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';
import type { PresignedUpload } from './presigned-upload.ts';

/**
 * The address to which a client sends a file with PUT, and the headers that it has to send besides `Content-Length` and
 * `Host`.
 */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Files that clients sent directly to the storage. They are kept apart from published objects and never served. */
export interface PresignStorage {
  /**
   * An address that accepts this file and no other: the receiver refuses another size, type or id, a missing or changed
   * signature, and requests after the expiry. It may be used more than once; the last complete file counts.
   */
  address(presigned: PresignedUpload): Promise<UploadAddress>;
  /**
   * A snapshot of the complete file that was sent for the id; later uploads don't change it. `publish` puts exactly these
   * bytes under the key (throws `Refusal` `unavailable` when they were replaced meanwhile and the storage can only
   * detect that); `discard` doesn't remove the upload. null when no file was sent. `sha256` may be null.
   */
  take(id: Uuid): Promise<StagedObject | null>;
  /** Removes the file that was sent for the id; does nothing when there is none. */
  remove(id: Uuid): Promise<void>;
  /** All files that were sent and not removed, unordered. */
  list(): AsyncIterable<ListedUpload>;
}

export interface ListedUpload {
  readonly id: Uuid;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, by the storage's clock. */
  readonly modifiedAt: number;
}

/**
 * Receives uploads for a storage without an HTTP server of its own, whose addresses point at this service.
 */
export interface PresignReceiver {
  /** The upload that an address was issued for; null when the address was changed or has expired. */
  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null;
  /**
   * Stores the file of an upload durably, replacing an earlier one. `wrong_size`, and nothing is stored, when its size
   * isn't the announced one. An error of the body is rethrown, and nothing is stored.
   */
  receive(presigned: PresignedUpload, body: AsyncIterable<Uint8Array>): Promise<'kept' | 'wrong_size'>;
}
