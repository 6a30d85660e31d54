import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { Refusal } from '@postshelf/domain';
import type { S3Connection } from './connection.ts';
import { httpStatusOf, isMissing, translateError } from './failures.ts';
import { STAGING } from './keys.ts';

/** Milliseconds for which a verified right is not checked again; a bucket with versions keeps a delete marker of each check. */
const TRUSTED_FOR = 10 * 60 * 1000;

/** A key that never exists. */
const NOWHERE = `${STAGING}nothing`;

/** Whether the access key may delete. A store asks for the right before it looks whether there is anything to delete. */
export class DeletePermission {
  /** By `performance.now`; null: not seen since it was refused. */
  #seenAt: number | null = null;

  constructor(private readonly s3: S3Connection) {}

  /** A deletion was refused: the next {@link require} asks. */
  forget(): void {
    this.#seenAt = null;
  }

  /** @throws Refusal `unavailable`; where the right is missing its cause says so */
  async require(): Promise<void> {
    if (this.#seenAt !== null && performance.now() - this.#seenAt < TRUSTED_FOR) return;
    try {
      await probeDeletion(this.s3);
    } catch (error) {
      const seen = translateError(error);
      if (!(seen instanceof Refusal) || httpStatusOf(error) !== 403) throw seen;
      const reason = `The access key may not delete in ${this.s3.place} (s3:DeleteObject)`;
      throw new Refusal(seen.problem, { cause: new Error(reason, { cause: seen.cause }) });
    }
    this.#seenAt = performance.now();
  }
}

/** Deletes nothing, which takes the right to delete. @throws the store's refusal */
export async function probeDeletion({ client, bucket }: S3Connection, options: { abortSignal?: AbortSignal } = {}) {
  try {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: NOWHERE }), options);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
