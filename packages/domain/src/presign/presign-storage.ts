import type { Uuid } from '../ids.ts';
import type { MediaType } from '../media/types.ts';
import type { StagedObject } from '../objects/object-storage.ts';

/** What a presigned upload may be: exactly so many bytes of that type, until it expires. */
export interface PresignedUpload {
  /** The `temporary` item's id. */
  readonly id: Uuid;
  /** Bytes. */
  readonly size: number;
  readonly type: MediaType;
  /** Milliseconds since the epoch, whole seconds. */
  readonly expiresAt: number;
}

/** Where a client sends a file to with PUT, and the headers that it has to send (not `Content-Length` and `Host`). */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes that clients sent straight to the storage. They stand apart from the published objects; nobody is served them. */
export interface PresignStorage {
  /**
   * An address that takes this file and no other: another size, type or id, no or a changed signature, and any time
   * after the expiry are refused by whoever receives it. It may be used more than once; the last file whole counts.
   */
  address(ticket: PresignedUpload): Promise<UploadAddress>;
  /**
   * What has come whole for the id, fixed as it is now: a later upload changes nothing of it. `publish` puts exactly
   * these bytes under the key (throws `Refusal` `unavailable` where they were replaced meanwhile and the storage can
   * only tell so); `discard` drops nothing of the upload itself. null when nothing came. `sha256` may be null.
   */
  take(id: Uuid): Promise<StagedObject | null>;
  /** Removes what came for the id; nothing there is removed already. */
  remove(id: Uuid): Promise<void>;
  /** Everything that came and wasn't removed, in no order. */
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
 * The receiving side of addresses that point at this service itself, where the storage has no HTTP server of its own.
 */
export interface PresignReceiver {
  /** The ticket that an address was issued for; null when anything of it was changed or it has expired. */
  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null;
  /**
   * Receives the file of a ticket, durably, in the place of one that came before. `wrong_size`, and nothing is kept,
   * when it isn't exactly as long as the ticket says. An error of the body is thrown as it is, and nothing is kept.
   */
  receive(ticket: PresignedUpload, body: AsyncIterable<Uint8Array>): Promise<'kept' | 'wrong_size'>;
}
