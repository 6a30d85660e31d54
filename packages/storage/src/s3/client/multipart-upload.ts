import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { codeOf, translateErrors } from './failures.ts';
import { headObject, requireEtag } from './head-object.ts';
import { copySource } from './keys.ts';
import type { ByteRange } from './read.ts';
import { tryAbort } from './remove.ts';
import { type Pieces, sendBytes } from './send-bytes.ts';

export interface ObjectDetails {
  readonly ContentType?: string;
  readonly CacheControl?: string;
  readonly Metadata?: Record<string, string>;
}

/**
 * A multipart upload: the object appears once the upload is completed. Until then the store keeps its parts, and
 * charges for them. Methods throw Refusal `unavailable`.
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

  /** @param stop aborts the upload's requests */
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

  /** Copies a range of another object as the part with this number. Each part but the last needs at least 5 MiB. */
  copy(number: number, source: { readonly key: string }, { start, end }: ByteRange): Promise<void> {
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
    // The caller gets the error. This handler only keeps the rejection from counting as unhandled until then.
    working.catch(() => {});
    return working;
  }

  /**
   * Joins the parts in the order of their numbers.
   *
   * @param size bytes of all parts together
   * @param condition the condition that the key must meet, in the SDK's terms
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
        // An earlier attempt, whose answer was lost, may have completed the upload.
        if (codeOf(error) !== 'NoSuchUpload') throw error;
        if ((await headObject(this.s3, this.key))?.size !== size) throw error;
      }
    });
  }

  /** Aborts the upload and its running requests. Never throws. */
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
