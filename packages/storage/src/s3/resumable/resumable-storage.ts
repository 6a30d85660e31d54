import { randomUUID } from 'node:crypto';
import {
  endOf,
  PIECE_BYTES,
  type Piece,
  type ResumableStorage,
  SMALL_PIECE,
  type StagedObject,
  type Uuid,
} from '@postshelf/domain';
import { staged } from '../../objects/staged.ts';
import { after, MissingPiece } from '../../pieces.ts';
import type { S3Connection } from '../client/connection.ts';
import { headObject } from '../client/head-object.ts';
import { uploadKey } from '../client/keys.ts';
import { collectRange } from '../client/read.ts';
import { tryRemove } from '../client/remove.ts';
import { putBytes } from '../client/send-bytes.ts';
import { BytesInBucket } from '../objects/bytes-in-bucket.ts';
import { Part } from '../objects/parts.ts';
import { receive } from '../objects/receive.ts';

/**
 * Keeps unfinished uploads in a bucket. A writer gathers a few megabytes in memory and stores them as an object,
 * `.uploads/{id}/{random}`. A multipart upload would need no copy at the end. But its parts have a minimum size, and an
 * abandoned writer could overwrite parts, because they are identified only by number.
 */
export class S3ResumableStorage implements ResumableStorage {
  constructor(private readonly s3: S3Connection) {}

  async requireSpace(): Promise<void> {}

  async append(
    id: Uuid,
    start: number,
    body: AsyncIterable<Uint8Array>,
    keep: (piece: Piece) => Promise<void>,
    last?: Piece | null,
  ): Promise<void> {
    const small = last && last.size <= SMALL_PIECE ? await this.#readPiece(id, last) : null;
    let at = start - (small?.length ?? 0);
    const part = new Part();
    const put = async (): Promise<void> => {
      if (part.length === 0) return;
      const piece = { name: randomUUID(), start: at, size: part.length };
      await putBytes(this.s3, `${uploadKey(id)}/${piece.name}`, part);
      at += part.length;
      part.free();
      await keep(piece);
    };
    try {
      for await (const chunk of after(small, body)) {
        for (let taken = 0; taken < chunk.length; ) {
          const some = chunk.subarray(taken, taken + PIECE_BYTES - part.length);
          part.add(some);
          taken += some.length;
          if (part.length === PIECE_BYTES) await put();
        }
      }
    } finally {
      await put().finally(() => part.free());
    }
  }

  async discard(id: Uuid, pieces: readonly Piece[]): Promise<void> {
    await Promise.all(pieces.map(({ name }) => tryRemove(this.s3, `${uploadKey(id)}/${name}`)));
  }

  async take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null> {
    try {
      const { bytes, sha256 } = await receive(this.s3, this.#read(id, pieces), endOf(pieces));
      return staged(new BytesInBucket(this.s3, bytes, sha256));
    } catch (error) {
      if (error instanceof MissingPiece) return null;
      throw error;
    }
  }

  /** Reads the pieces in turn; the next piece is fetched while the current one is used. @throws MissingPiece */
  async *#read(id: Uuid, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
    const readAt = (index: number) => {
      const piece = pieces[index];
      const reading = piece ? this.#readPiece(id, piece) : Promise.resolve(null);
      // The loop below gets the error.
      reading.catch(() => undefined);
      return reading;
    };
    let next = readAt(0);
    for (const index of pieces.keys()) {
      const bytes = await next;
      if (!bytes) throw new MissingPiece();
      next = readAt(index + 1);
      yield bytes;
    }
  }

  /** Returns null if the piece is missing or has another size. */
  async #readPiece(id: Uuid, { name, size }: Piece): Promise<Uint8Array | null> {
    const object = await headObject(this.s3, `${uploadKey(id)}/${name}`);
    return object?.size === size ? collectRange(this.s3, object, { start: 0, end: size - 1 }) : null;
  }
}
