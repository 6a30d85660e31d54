import {
  type Actor,
  type Defect,
  defectSentence,
  type FieldErrors,
  fullNameOf,
  isAsDeclared,
  MAX_MULTIPART_FILE_BYTES,
  type MediaWithCover,
  nameFromFileName,
  type OnDuplicate,
  Refusal,
  StorageFull,
  storeFile,
  type Uuid,
  type Workspace,
  WRONG_HASH,
  WRONG_TYPE,
  withoutRoom,
} from '@postshelf/domain';
import type { StagedItem } from '../covers/stage-cover.ts';
import { noSuchFolder } from '../folders/check-references.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { advising } from '../trash/trash.ts';
import { type InspectedFile, type InspectPorts, inspect, isInspected } from './inspect.ts';
import { type MakePorts, makeItems } from './make-items.ts';
import { discardBody, isTaken, limited, receive, recognise } from './receive.ts';

type UploadPorts = Pick<Ports, 'workspaces'> & MakePorts & InspectPorts;

export interface UploadDetails {
  readonly createdBy?: Actor | null;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly onDuplicate?: OnDuplicate;
  /** Milliseconds since the epoch. Default: the current time. */
  readonly createdAt?: number | undefined;
}

interface NamedFile extends InspectedFile {
  readonly name: string;
  readonly number: number;
}

/**
 * The files of one multipart request, of which all or none are stored (docs/api.md, "Upload media"). Each file is
 * staged and inspected as it arrives, and {@link commit} stores all of them. Until then nothing is visible. {@link
 * discard} removes the staged files; after a crash, garbage collection does.
 */
export class UploadBatch {
  readonly #files: NamedFile[] = [];
  readonly #errors: Record<string, string[]> = {};
  #count = 0;
  #skipped = 0;

  constructor(
    private readonly ports: UploadPorts,
    private readonly workspace: Workspace,
    private readonly signal?: AbortSignal,
  ) {}

  get count(): number {
    return this.#count + this.#skipped;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get errors(): FieldErrors {
    return this.#errors;
  }

  /**
   * Adds the next file. A file of a wrong type is recorded in {@link errors} and dropped.
   *
   * @throws Refusal `too_large` above 200 MB; whatever `body` throws
   */
  async add(fileName: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const number = this.#count;
    const field = `files.${number}`;
    this.#count += 1;
    const file = await advising(this.ports, this.workspace.id, this.#take(limited(body)));
    if (isInspected(file)) {
      this.#files.push({ ...file, number, name: nameFromFileName(fileName, file.content.type) });
    } else if (file === 'empty') this.#errors[field] = [`The ${field} field must not be empty.`];
    else this.#errors[field] = [defectSentence(file, `The ${field}`, `The ${field} field ${WRONG_TYPE}`)];
  }

  /**
   * Receives a file. If its first bytes indicate no accepted type, the file is read and dropped, so that the following
   * parts can be read.
   */
  async #take(body: AsyncIterable<Uint8Array>): Promise<InspectedFile | Defect | 'empty'> {
    const { type, whole } = await recognise(this.ports, body);
    if (!isTaken(type)) {
      for await (const _ of whole);
      return type;
    }
    const signal = this.signal && { signal: this.signal };
    const received = await receive(this.ports, whole, { limit: MAX_MULTIPART_FILE_BYTES, type, ...signal });
    return inspect(this.ports, this.workspace, received, { ...signal });
  }

  async skip(body: AsyncIterable<Uint8Array>): Promise<void> {
    this.#skipped += 1;
    await discardBody(body);
  }

  /**
   * Records in {@link errors} the files whose hash differs from the declared one, unless they were refused for another
   * reason.
   *
   * @param declared hashes in the order of the files; null and missing ones aren't compared
   */
  compare(declared: readonly (string | null)[]): void {
    for (const { number, sentHash } of this.#files) {
      const field = `files.${number}`;
      if (!isAsDeclared({ sha256: declared[number] ?? null }, sentHash)) {
        this.#errors[field] = [`The ${field} ${WRONG_HASH}`];
      }
    }
  }

  /**
   * Stores the added files as `active` items, and returns the items in order. With `onDuplicate: 'return'`, the
   * existing item is returned for a file whose bytes the workspace already has.
   *
   * @throws Refusal `invalid` on `folder_id` if the folder isn't in the workspace (any more), on `files.N` for the
   *   files that exceed the quota
   */
  async commit(
    details: UploadDetails,
    complete?: Completing<readonly MediaWithCover[]>,
  ): Promise<readonly MediaWithCover[]> {
    const now = this.ports.clock.now();
    const { onDuplicate = 'keep' } = details;
    const files = this.#files.map((file) => this.#newItem(file, details, now));
    const stored = await makeItems(this.ports, this.workspace.id, files, onDuplicate, this.signal, complete).catch(
      (cause: unknown) => {
        throw namingFiles(
          cause,
          files.map(({ item }) => item.content.size),
        );
      },
    );
    if (stored === null) throw noSuchFolder('folder_id');
    return stored;
  }

  /** Discards the staged files. It must always be called, even after {@link commit}. */
  async discard(): Promise<void> {
    await Promise.all(this.#files.map(({ object }) => object.discard()));
  }

  #newItem(
    { name, content, object }: NamedFile,
    { createdBy, createdAt, label, folderId }: UploadDetails,
    now: number,
  ): StagedItem {
    const id = this.ports.ids.next();
    const workspaceId = this.workspace.id;
    const fullName = fullNameOf(workspaceId, id, name);
    const details = { id, workspaceId, folderId, label, name, fullName, createdBy, createdAt };
    return { item: storeFile(details, content, now), object };
  }
}

/** Turns a {@link StorageFull} into a refusal that names the files that didn't fit. */
export function namingFiles(cause: unknown, sizes: readonly number[]): unknown {
  if (!(cause instanceof StorageFull)) return cause;
  const errors = withoutRoom(sizes, cause.room).map((index) => [`files.${index}`, [cause.sentence]]);
  return new Refusal({ code: 'invalid', errors: Object.fromEntries(errors) }, { cause });
}
