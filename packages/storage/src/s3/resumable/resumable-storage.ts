import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { endOf, type Piece, type ResumableStorage, type StagedObject, type Uuid } from '@postshelf/domain';
import type { S3Connection } from '../client/connection.ts';
import { translateErrors } from '../client/failures.ts';
import { uploadKey } from '../client/keys.ts';
import { lookUp, type StoredBytes } from '../client/look-up.ts';
import { collectRange } from '../client/read.ts';
import { tryRemove } from '../client/remove.ts';
import { sendBytes } from '../client/send-bytes.ts';
import { Part } from '../objects/parts.ts';
import { receive } from '../objects/receive.ts';
import { StagedBytes } from '../objects/staged-bytes.ts';

/** Held in memory, once for each writer. */
const OBJECT_BYTES = 5 * 1024 * 1024;

const READ_BYTES = 1024 * 1024;

/**
 * Unfinished uploads in a bucket, an object for each few megabytes: `.uploads/{id}/{random}`. Parts of a multipart upload
 * would spare the copy at the end, but they have a least size and a number that a given-up writer can overwrite.
 */
export class S3ResumableStorage implements ResumableStorage {
  constructor(private readonly s3: S3Connection) {}

  async requireSpace(): Promise<void> {}

  async append(
    id: Uuid,
    start: number,
    body: AsyncIterable<Uint8Array>,
    keep: (piece: Piece) => Promise<void>,
  ): Promise<void> {
    let at = start;
    const part = new Part();
    const put = async (): Promise<void> => {
      if (part.length === 0) return;
      const piece = { name: randomUUID(), start: at, size: part.length };
      await this.#put(`${uploadKey(id)}/${piece.name}`, part);
      at += part.length;
      part.drop();
      await keep(piece);
    };
    try {
      for await (const chunk of body) {
        for (let taken = 0; taken < chunk.length; ) {
          const some = chunk.subarray(taken, taken + OBJECT_BYTES - part.length);
          part.add(some);
          taken += some.length;
          if (part.length === OBJECT_BYTES) await put();
        }
      }
    } finally {
      await put().finally(() => part.drop());
    }
  }

  async #put(key: string, part: Part): Promise<void> {
    const request = { Bucket: this.s3.bucket, Key: key, ContentLength: part.length };
    await translateErrors(() =>
      sendBytes(this.s3, part, (Body, options) =>
        this.s3.client.send(new PutObjectCommand({ ...request, Body }), options),
      ),
    );
  }

  async drop(id: Uuid, pieces: readonly Piece[]): Promise<void> {
    await Promise.all(pieces.map(({ name }) => tryRemove(this.s3, `${uploadKey(id)}/${name}`)));
  }

  async take(id: Uuid, pieces: readonly Piece[]): Promise<StagedObject | null> {
    const found: StoredBytes[] = [];
    for (const { name, size } of pieces) {
      const object = await lookUp(this.s3, `${uploadKey(id)}/${name}`);
      if (object?.size !== size) return null;
      found.push(object);
    }
    const size = endOf(pieces);
    const { bytes, sha256 } = await receive(this.s3, this.#read(found), size);
    return new StagedBytes(this.s3, bytes, sha256);
  }

  async *#read(objects: readonly StoredBytes[]): AsyncGenerator<Uint8Array> {
    for (const object of objects) {
      for (let start = 0; start < object.size; start += READ_BYTES) {
        const end = Math.min(start + READ_BYTES, object.size) - 1;
        yield await collectRange(this.s3, object, { start, end });
      }
    }
  }
}
