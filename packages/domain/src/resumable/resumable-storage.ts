import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';

/** Bytes of an upload that are stored together. */
export interface Piece {
  /** A name that the storage chooses for its own use. */
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

/**
 * Stores the bytes of unfinished uploads next to presigned uploads, so that `PresignStorage` lists and removes both.
 * Each writer has its own pieces, so that an abandoned writer that continues overwrites nothing.
 */
export interface ResumableStorage {
  /** Checks that there is space for a file of this size. @throws Refusal `storage_low` */
  requireSpace(size: number): Promise<void>;
  /**
   * Stores a body. If the body ends with an error, the bytes before it are stored, and the error is thrown afterwards.
   * Each of its chunks is valid until the next is requested.
   *
   * @param keep called with each piece in order, once the piece is durable, and again when it has grown. More bytes are
   *   stored while `keep` runs.
   * @param last the piece that ends at `start`, which may grow. If it is small, a new piece may repeat its bytes; the
   *   caller then discards `last`
   * @throws Refusal `unavailable`, `storage_low`; whatever `keep` and the body throw
   */
  append(
    id: Uuid,
    start: number,
    body: AsyncIterable<Uint8Array>,
    keep: (piece: Piece) => Promise<void>,
    last?: Piece | null,
  ): Promise<void>;
  /** Discards pieces that aren't needed; a piece that can't be removed now is removed with the upload. */
  discard(id: Uuid, pieces: readonly Piece[]): Promise<void>;
  /** Returns the whole file; null if a piece is missing. @throws Refusal `unavailable`, `storage_low` */
  take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null>;
}
