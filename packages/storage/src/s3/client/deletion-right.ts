import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { Refusal } from '@postshelf/domain';
import type { S3Connection } from './connection.ts';
import { httpStatusOf, translateError, unlessMissing } from './failures.ts';
import { STAGING } from './keys.ts';

/**
 * Milliseconds for which a confirmed right isn't checked again. Checks are rare because each leaves a delete marker in
 * a bucket with versioning.
 */
const TRUSTED_FOR = 10 * 60 * 1000;

/** A key under which no object is ever stored. */
const UNUSED_KEY = `${STAGING}nothing`;

/**
 * Checks whether the access key may delete objects, by deleting one that doesn't exist: stores check the right before
 * they look for the object.
 */
export class DeletePermission {
  /** Time of the last successful check, by `performance.now`; null before the first and after a refused deletion. */
  #seenAt: number | null = null;

  constructor(private readonly s3: S3Connection) {}

  /** Makes the next {@link require} check again. Called after a deletion was refused. */
  reset(): void {
    this.#seenAt = null;
  }

  /** @throws Refusal `unavailable`; if the right is missing, its cause says so */
  async require(): Promise<void> {
    if (this.#seenAt !== null && performance.now() - this.#seenAt < TRUSTED_FOR) return;
    try {
      await probeDeletion(this.s3);
    } catch (error) {
      const seen = translateError(error);
      if (!(seen instanceof Refusal) || httpStatusOf(error) !== 403) throw seen;
      const reason = `The access key is not allowed to delete in ${this.s3.place} (s3:DeleteObject)`;
      throw new Refusal(seen.problem, { cause: new Error(reason, { cause: seen.cause }) });
    }
    this.#seenAt = performance.now();
  }
}

/** @throws the store's error */
export async function probeDeletion({ client, bucket }: S3Connection, options: { abortSignal?: AbortSignal } = {}) {
  await unlessMissing(client.send(new DeleteObjectCommand({ Bucket: bucket, Key: UNUSED_KEY }), options));
}
