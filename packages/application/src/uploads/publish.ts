import {
  type MediaWithCover,
  type NewFile,
  REQUEST_ENDED_EARLY,
  Refusal,
  type StagedObject,
  StorageFull,
} from '@postshelf/domain';
import { coverOutcome, type StagedItem, stageCover, stagedCover } from '../covers/stage-cover.ts';
import type { Ports, Shared } from '../ports.ts';

export type PublicationPorts = Pick<Ports, 'storage' | 'covers' | 'ids'> & Pick<Shared, 'shares'>;

/**
 * Publishes the new files of a request. Always call {@link end}: it removes the objects that have no row, except when
 * inserting failed with an error, as the rows may have been committed: then garbage collection decides. A full workspace
 * has committed none.
 */
export class Publication {
  readonly #files: NewFile[] = [];
  readonly #covers: StagedObject[] = [];
  /** As far as is known. */
  readonly #withoutRow = new Set<string>();

  /** @param signal aborted when the client has gone: nothing is published then */
  constructor(
    private readonly ports: PublicationPorts,
    private readonly signal?: AbortSignal,
  ) {}

  get files(): readonly NewFile[] {
    return this.#files;
  }

  /** Makes the covers of files, and publishes both. */
  async add(files: readonly StagedItem[]): Promise<void> {
    const prepared = await all(
      files.map(async (media) => {
        const cover = await stageCover(this.ports, media.item, media.object, this.signal);
        const staged = stagedCover(cover);
        if (staged) this.#covers.push(staged.object);
        return { media, cover, staged };
      }),
    );
    if (this.signal?.aborted) throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY });
    for (const { media, cover, staged } of prepared) {
      await this.#publish(media);
      if (staged) await this.#publish(staged);
      this.#files.push({ item: media.item, cover: coverOutcome(cover) });
    }
  }

  /** @param keptBy the items that have a row now, given the result of `write` */
  async insert<T>(write: () => Promise<T>, keptBy: (answer: T) => Iterable<MediaWithCover>): Promise<T> {
    const published = [...this.#withoutRow];
    const restore = (): void => {
      for (const fullName of published) this.#withoutRow.add(fullName);
    };
    this.#withoutRow.clear();
    const answer = await write().catch((cause: unknown) => {
      if (cause instanceof StorageFull) restore();
      throw cause;
    });
    restore();
    for (const { item, cover } of keptBy(answer)) {
      this.#withoutRow.delete(item.fullName);
      if (cover) this.#withoutRow.delete(cover.fullName);
    }
    return answer;
  }

  async end(): Promise<void> {
    await Promise.allSettled([...this.#withoutRow].map((fullName) => this.ports.storage.remove(fullName)));
    await Promise.all(this.#covers.map((object) => object.discard()));
  }

  async #publish({ item, object }: StagedItem): Promise<void> {
    await object.publish(item.fullName, item.content.type);
    this.#withoutRow.add(item.fullName);
  }
}

/** If it throws, all promises have settled. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
