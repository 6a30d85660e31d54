import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { codeOf, translateErrors } from './failures.ts';
import { copySource } from './keys.ts';
import { lookUp, requireEtag, type StoredBytes } from './look-up.ts';
import type { ByteRange } from './read.ts';
import { tryAbort } from './remove.ts';
import { type Pieces, sendBytes } from './send-bytes.ts';

/** What an object says of itself beside its bytes. */
export interface ObjectDetails {
  readonly ContentType?: string;
  readonly CacheControl?: string;
  readonly Metadata?: Record<string, string>;
}

/**
 * An object that is put together from parts, and is there once they are completed. Nobody sees the parts, but the store
 * keeps them (and charges for them) until the upload is completed or aborted. Methods throw Refusal `unavailable`.
 */
export class MultipartUpload {
  readonly #etags = new Map<number, string>();
  readonly #stop = new AbortController();
  readonly #stopped: AbortSignal;
  readonly #working = new Set<Promise<void>>();

  private constructor(
    private readonly s3: S3Connection,
    private readonly key: string,
    private readonly id: string,
    stop: AbortSignal | undefined,
  ) {
    this.#stopped = stop ? AbortSignal.any([this.#stop.signal, stop]) : this.#stop.signal;
  }

  /** @param stop ends whatever the upload waits for, which throws then */
  static async begin(
    s3: S3Connection,
    key: string,
    details: ObjectDetails = {},
    stop?: AbortSignal,
  ): Promise<MultipartUpload> {
    const request = { Bucket: s3.bucket, Key: key, ...details };
    const { UploadId } = await translateErrors(() =>
      s3.client.send(new CreateMultipartUploadCommand(request), stop && { abortSignal: stop }),
    );
    if (UploadId === undefined) throw new Error('The store began an upload without an id.');
    return new MultipartUpload(s3, key, UploadId, stop);
  }

  /** Sends the bytes as the part of the number, 1 to 10,000. */
  send(number: number, bytes: Pieces): Promise<void> {
    return this.#work(number, async (target) => {
      const request = { ...target, ContentLength: bytes.length };
      const { ETag } = await sendBytes(
        this.s3,
        bytes,
        (Body, options) => this.s3.client.send(new UploadPartCommand({ ...request, Body }), options),
        this.#stopped,
      );
      return ETag;
    });
  }

  /** Copies a range of other bytes in the bucket, 5 MiB at least save at the end, as the part of the number. */
  copy(number: number, source: StoredBytes, { start, end }: ByteRange): Promise<void> {
    return this.#work(number, async (target) => {
      const { bucket, client } = this.s3;
      const CopySource = copySource(bucket, source.key);
      const { CopyPartResult } = await client.send(
        new UploadPartCopyCommand({ ...target, CopySource, CopySourceRange: `bytes=${start}-${end}` }),
        {
          abortSignal: AbortSignal.any([this.#stopped, AbortSignal.timeout(this.s3.timeouts.copy)]),
          requestTimeout: this.s3.timeouts.copy,
        },
      );
      return CopyPartResult?.ETag;
    });
  }

  #work(number: number, work: (target: PartTarget) => Promise<string | undefined>): Promise<void> {
    const target = { Bucket: this.s3.bucket, Key: this.key, UploadId: this.id, PartNumber: number };
    const working = translateErrors(async () => {
      this.#etags.set(number, requireEtag(await work(target)));
    });
    this.#working.add(working);
    // The caller gets its failure, perhaps later: until then it must not count as an unhandled rejection.
    working.catch(() => {});
    return working;
  }

  /**
   * Puts the parts together, in the order of their numbers.
   *
   * @param size bytes of all of them
   * @param condition of the object's key, as the SDK names it
   */
  async complete(size: number, condition: { readonly IfNoneMatch?: '*' } = {}): Promise<void> {
    const parts = Array.from(this.#etags, ([PartNumber, ETag]) => ({ PartNumber, ETag }));
    parts.sort((a, b) => a.PartNumber - b.PartNumber);
    const target = { Bucket: this.s3.bucket, Key: this.key, UploadId: this.id };
    await translateErrors(async () => {
      try {
        await this.s3.client.send(
          new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts: parts }, ...condition }),
          {
            abortSignal: AbortSignal.any([this.#stopped, AbortSignal.timeout(this.s3.timeouts.copy)]),
            requestTimeout: this.s3.timeouts.copy,
          },
        );
      } catch (error) {
        // The answer to an attempt was lost after all was put together: to the next one the upload is no more.
        if (codeOf(error) !== 'NoSuchUpload') throw error;
        if ((await lookUp(this.s3, this.key))?.size !== size) throw error;
      }
    });
  }

  /** Gives up: stops what goes on and takes back what was sent, as far as the store can be reached. Never throws. */
  async abort(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#working);
    await tryAbort(this.s3, this.key, this.id);
  }
}

interface PartTarget {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
  readonly PartNumber: number;
}
