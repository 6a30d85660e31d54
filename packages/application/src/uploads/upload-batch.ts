import {
  DAMAGED,
  type FieldErrors,
  fullNameOf,
  MAX_MULTIPART_FILE_BYTES,
  type MediaWithCover,
  MULTIPART_FILE_TOO_LARGE,
  nameFromFileName,
  REQUEST_ENDED_EARLY,
  Refusal,
  type StagedObject,
  storeFile,
  type Uuid,
  type Workspace,
  WRONG_TYPE,
} from '@postshelf/domain';
import { type StagedCover, type StagedItem, stageCover, stagedCover } from '../covers/stage-cover.ts';
import { noSuchFolder } from '../folders/check-references.ts';
import { inspectStaged, type ReceivedFile } from '../media/inspect-staged.ts';
import { peek } from '../media/peek.ts';
import { publishThenInsert } from '../media/publish-then-insert.ts';
import type { Ports } from '../ports.ts';
import type { Completing } from '../repeats/answer-once.ts';

type UploadPorts = Pick<Ports, 'storage' | 'inspector' | 'covers' | 'shares' | 'media' | 'clock' | 'ids'>;

/** Details of all files of a request. */
export interface UploadDetails {
  readonly label: string | null;
  readonly folderId: Uuid | null;
}

interface NamedFile extends ReceivedFile {
  readonly name: string;
}

/**
 * The files of one multipart request, stored all or none (docs/api.md, "Upload media"): each is staged and inspected as it
 * arrives; {@link commit} then makes covers, publishes the objects and, last, inserts the rows in one transaction.
 * Until then nothing is visible, and {@link discard} or, after a crash, garbage collection removes what was staged.
 */
export class UploadBatch {
  readonly #files: NamedFile[] = [];
  readonly #staged: StagedObject[] = [];
  readonly #errors: Record<string, string[]> = {};
  #count = 0;
  #skipped = 0;

  constructor(
    private readonly ports: UploadPorts,
    private readonly workspace: Workspace,
  ) {}

  /** Files that came so far, refused and skipped ones included. */
  get count(): number {
    return this.#count + this.#skipped;
  }

  /** Whether no file was taken yet. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Why files were refused so far, by field: `files.0`. */
  get errors(): FieldErrors {
    return this.#errors;
  }

  /**
   * Adds the next file. One of a wrong type is recorded in {@link errors}, its bytes are read and dropped.
   *
   * @throws Refusal `too_large` above 200 MB; whatever `body` throws
   */
  async add(fileName: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const field = `files.${this.#count}`;
    this.#count += 1;
    const { head, whole } = await peek(limited(body), this.ports.inspector.headLength);
    if ((await this.ports.inspector.recognise(head)) === null) {
      await drop(whole);
      this.#refuse(field, head.length === 0 ? 'must not be empty.' : WRONG_TYPE);
      return;
    }
    const object = await this.ports.storage.stage(whole, { limit: MAX_MULTIPART_FILE_BYTES });
    this.#staged.push(object);
    const file = await inspectStaged(this.ports, object);
    if (file === 'damaged') this.#errors[field] = [`The ${field} ${DAMAGED}`];
    else if (file) this.#files.push({ ...file, name: nameFromFileName(fileName, file.content.type) });
    else this.#refuse(field, WRONG_TYPE);
  }

  /** Reads a file that isn't part of the batch to its end. @throws as {@link add} */
  async skip(body: AsyncIterable<Uint8Array>): Promise<void> {
    this.#skipped += 1;
    await drop(limited(body));
  }

  /**
   * Stores the added files as `active` items, in their order.
   *
   * @param signal aborted when the client has gone: nothing is stored then, and covers that are being made end
   * @throws Refusal `invalid` on `folder_id` when the folder isn't one of the workspace (any more)
   */
  async commit(
    details: UploadDetails,
    signal?: AbortSignal,
    complete?: Completing<readonly MediaWithCover[]>,
  ): Promise<readonly MediaWithCover[]> {
    const now = this.ports.clock.now();
    const stored = await all(this.#files.map((file) => this.#prepare(file, details, now, signal)));
    if (signal?.aborted) throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY });
    const ready = stored.flatMap(({ media, cover }) => [media, stagedCover(cover) ?? []].flat());
    const due = stored.filter(({ cover }) => cover === 'due').map(({ media }) => media.item.id);
    const items = ready.map(({ item }) => item);
    const result = stored.map(({ media, cover }) => ({ item: media.item, cover: stagedCover(cover)?.item ?? null }));
    const kept = await publishThenInsert(
      this.ports,
      ready,
      async () => (await this.ports.media.insert(items, due, complete?.(result))) === 'kept',
    );
    if (!kept) throw noSuchFolder('folder_id');
    return result;
  }

  /** Drops staged bytes that weren't published. Always call it, also after {@link commit}. */
  async discard(): Promise<void> {
    await Promise.all(this.#staged.map((object) => object.discard()));
  }

  async #prepare(
    { name, content, object }: NamedFile,
    details: UploadDetails,
    now: number,
    signal?: AbortSignal,
  ): Promise<{ media: StagedItem; cover: StagedCover }> {
    const id = this.ports.ids.next();
    const workspaceId = this.workspace.id;
    const fullName = fullNameOf(workspaceId, id, name);
    const item = storeFile({ id, workspaceId, name, fullName, ...details }, content, now);
    const cover = await stageCover(this.ports, item, object, signal);
    const staged = stagedCover(cover);
    if (staged) this.#staged.push(staged.object);
    return { media: { item, object }, cover };
  }

  #refuse(field: string, why: string): void {
    this.#errors[field] = [`The ${field} field ${why}`];
  }
}

/** Reads bytes to their end and drops them, so that the following parts can be read. */
async function drop(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

/** Limits files whose bytes are dropped, too, as 413 takes precedence over 422. */
async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MULTIPART_FILE_BYTES) throw new Refusal({ code: 'too_large', message: MULTIPART_FILE_TOO_LARGE });
    yield chunk;
  }
}

/** Like `Promise.all`, but nothing is still running when it throws. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
