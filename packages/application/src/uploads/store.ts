import {
  finalName,
  fullNameOf,
  type MediaWithCover,
  type NewFile,
  type OnDuplicate,
  type PendingOutcome,
  type ProcessingMedia,
  REQUEST_ENDED_EARLY,
  Refusal,
  type StagedObject,
  StorageFull,
  type TemporaryMedia,
  type UploadTerms,
  type Uuid,
} from '@postshelf/domain';
import { type StagedItem, stageCover } from '../covers/stage-cover.ts';
import { chunksOf, piecesOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';

export type StorePorts = Pick<Ports, 'storage' | 'trash' | 'digest' | 'media' | 'covers' | 'clock' | 'ids'> &
  Pick<Shared, 'shares'>;

/** An item that waits for its file and whose lease the caller holds. */
export type PendingUpload =
  | (Held<TemporaryMedia> & { readonly kind: 'presigned' | 'resumable'; readonly terms: UploadTerms })
  | (Held<ProcessingMedia> & { readonly kind: 'import'; readonly terms: UploadTerms; readonly claims: number })
  | (Held<ProcessingMedia> & { readonly kind: 'fit'; readonly claims: number });

interface Held<Item> {
  readonly item: Item;
  /**
   * Must be called right before the first write that could interfere with another owner's work. Returns false if the
   * lease was lost.
   */
  renewLease(): Promise<boolean>;
  /**
   * Decides from the item's current row what becomes of the item, and records that in one transaction. Returns false if
   * the lease was lost or the item was deleted.
   */
  readonly record: (decide: (current: Item) => PendingOutcome) => Promise<boolean>;
}

export const onDuplicateOf = (pending: PendingUpload): OnDuplicate =>
  pending.kind === 'fit' ? 'keep' : pending.terms.onDuplicate;

/**
 * Whether an earlier owner, killed between publishing and recording, may have left an object. This is always assumed
 * for confirmations, whose owners aren't counted.
 */
const mayHaveLeftOver = (pending: PendingUpload): boolean => !('claims' in pending) || pending.claims > 1;

/**
 * The third stage: publishes objects of new files and of their covers under their final keys. Always call {@link end},
 * which removes objects that have no row. If recording fails with an error, the rows may have been committed, so the
 * objects are left to garbage collection. {@link StorageFull} is an exception: after it, no rows were committed.
 */
export class StoredFiles {
  readonly #files: NewFile[] = [];
  readonly #covers: StagedObject[] = [];
  /** Keys that are not known to have a row, each with the function that purges its object. */
  readonly #withoutRow = new Map<string, () => Promise<unknown>>();

  /**
   * @param pending the item whose file is stored, if the item already exists and waits for it; null for new items,
   *   which no other process knows about
   */
  constructor(
    private readonly ports: StorePorts,
    private readonly pending: PendingUpload | null = null,
  ) {}

  get files(): readonly NewFile[] {
    return this.#files;
  }

  /**
   * Makes the covers of files, and publishes the files and the covers.
   *
   * @param signal aborted when the client has disconnected. New files are then not published. The file of a pending
   *   item is still published, but its cover is made later.
   * @returns false if the lease was lost
   */
  async store(files: readonly StagedItem[], signal?: AbortSignal): Promise<boolean> {
    const prepared = await all(
      files.map(async (file) => {
        const cover = await stageCover(this.ports, file.item, file.object, signal);
        if (cover && cover !== 'due') this.#covers.push(cover.object);
        return { file, cover };
      }),
    );
    if (this.pending && !(await this.pending.renewLease())) return false;
    if (!this.pending && signal?.aborted) throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY });
    for (const { file, cover } of prepared) {
      const item = this.pending ? await this.#publishPending(file, this.pending) : await this.#publish(file);
      if (cover && cover !== 'due') await this.#publish(cover);
      this.#files.push({ item, cover: cover && cover !== 'due' ? cover.item : cover });
    }
    return true;
  }

  /** Publishes a new file or cover. Keys are never used twice, so nothing can be stored under its key yet. */
  async #publish({ item, object }: StagedItem): Promise<StagedItem['item']> {
    const { fullName } = item;
    await object.publish(fullName, item.content.type);
    this.#withoutRow.set(fullName, () => this.ports.storage.purge(fullName));
    return item;
  }

  /**
   * Publishes the file of a pending item. Its key may be taken by the object of an earlier owner or of a copy of the
   * database.
   */
  async #publishPending({ item, object }: StagedItem, pending: PendingUpload): Promise<StagedItem['item']> {
    const { workspaceId, id, content } = item;
    let { fullName } = item;
    let leftOver = mayHaveLeftOver(pending) ? await this.#findLeftOver(object, fullName) : 'none';
    // Other bytes under the key may belong to a copy of the database, so they stay. If no item has them, they are
    // garbage.
    for (let number = 2; leftOver === 'other'; number += 1) {
      fullName = fullNameOf(workspaceId, id, finalName(`${number}`, content.type));
      leftOver = await this.#findLeftOver(object, fullName);
    }
    if (leftOver === 'none') {
      await object.publish(fullName, content.type);
      this.#withoutRow.set(fullName, () => this.#trash(id, fullName));
    }
    return { ...item, fullName };
  }

  /** Returns whether the key holds nothing, the same bytes, or other bytes. */
  async #findLeftOver(object: StagedObject, fullName: string): Promise<'none' | 'same' | 'other'> {
    const stored = await this.ports.storage.open(fullName);
    if (stored === null) return 'none';
    if (stored.size !== object.size) return 'other';
    const hashOf = async (bytes: AsyncIterable<Uint8Array>) => (await this.ports.digest(bytes)).sha256;
    const own = object.sha256 ?? (await hashOf(piecesOf(object)));
    return (await hashOf(chunksOf(stored))) === own ? 'same' : 'other';
  }

  /**
   * Moves an object to the trash, unless another owner may still need it. The object isn't purged immediately, because
   * a copy of the database may have an active item with this object.
   */
  async #trash(id: Uuid, fullName: string): Promise<void> {
    const item = await this.ports.media.findStored(id);
    if (item === null || item.status === 'failed') await this.ports.trash.add(fullName, this.ports.clock.now());
  }

  /**
   * Runs `write`, which records the files. Afterwards, remembers which objects have no row.
   *
   * @param keptBy returns the items that have a row now, given the result of `write`
   */
  async whileRecording<T>(
    write: () => Promise<T>,
    keptBy: (answer: T) => Iterable<MediaWithCover> | Promise<Iterable<MediaWithCover>>,
  ): Promise<T> {
    const published = [...this.#withoutRow];
    const restore = (): void => {
      for (const [fullName, purge] of published) this.#withoutRow.set(fullName, purge);
    };
    this.#withoutRow.clear();
    const answer = await write().catch((cause: unknown) => {
      if (cause instanceof StorageFull) restore();
      throw cause;
    });
    // If this query fails, the files may have rows, so their objects aren't purged.
    const kept = await keptBy(answer);
    restore();
    for (const { item, cover } of kept) {
      this.#withoutRow.delete(item.fullName);
      if (cover) this.#withoutRow.delete(cover.fullName);
    }
    return answer;
  }

  async end(): Promise<void> {
    await Promise.allSettled([...this.#withoutRow.values()].map((purge) => purge()));
    await Promise.all(this.#covers.map((object) => object.discard()));
  }
}

/** Waits until all promises have settled, and throws only then. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
