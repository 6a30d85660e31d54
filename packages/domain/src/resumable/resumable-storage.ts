import type { Uuid } from '../ids.ts';
import type { StagedObject } from '../objects/object-storage.ts';

/** Bytes of an upload that are stored together. */
export interface Piece {
  /** Chosen by the storage; for nobody else. */
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

/**
 * The bytes of unfinished uploads, beside presigned ones: `PresignStorage` lists and removes them. Each writer has pieces of
 * its own, so that one that was given up and goes on writes over nothing.
 */
export interface ResumableStorage {
  /** Whether a file of so many bytes may come. @throws Refusal `storage_low` */
  requireSpace(size: number): Promise<void>;
  /**
   * Stores a body, even if it ends with an error, which is thrown afterwards. Each of its chunks is valid until the next is
   * requested.
   *
   * @param keep told of each piece once it is durable, in order; of a growing one again. Storing goes on meanwhile.
   * @param last the piece that ends at `start`: it may grow, or, if it is small, a new one may have its bytes, too; then the
   * caller drops it
   * @throws Refusal `unavailable`, `storage_low`; what `keep` and the body throw
   */
  append(
    id: Uuid,
    start: number,
    body: AsyncIterable<Uint8Array>,
    keep: (piece: Piece) => Promise<void>,
    last?: Piece | null,
  ): Promise<void>;
  /** Removes pieces that nobody needs; what can't be removed now goes with the upload. */
  drop(id: Uuid, pieces: readonly Piece[]): Promise<void>;
  /** The whole file. null if a piece is missing. @throws Refusal `unavailable`, `storage_low` */
  take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null>;
}
