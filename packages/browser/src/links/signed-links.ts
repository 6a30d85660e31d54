import type { MediaItem, Operations, PostshelfClient } from '@postshelf/client';

/** Seconds for which links are good. */
const LIFE = 3600;

/** Milliseconds after which all are renewed, long before they expire. */
const RENEWAL = (LIFE * 1000) / 2;

/** Items of one call: the service's maximum, and a page's. */
const MAX_ITEMS = 100;

/** Milliseconds that the first item of a call waits for others. */
const GATHERING = 5;

type Signed = Operations['links']['createMany']['output']['data'][number];

interface Batch {
  readonly ids: string[];
  readonly signed: Promise<ReadonlyMap<string, Signed>>;
}

/** Signs what items show, in workspaces with signed links, in one call for what is read at the same time. */
export class SignedLinks {
  #workspaces: Promise<ReadonlySet<string>> | null = null;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** So that a picture keeps its address, and isn't loaded again, when its item is read again. */
  readonly #kept = new Map<string, Promise<Signed | undefined>>();
  readonly #batches = new Map<string, Batch>();

  /** @param renew reads everything again that is shown, as its links expire soon */
  constructor(
    private readonly trpc: PostshelfClient['trpc'],
    private readonly renew: () => unknown,
  ) {}

  /** @throws what `read` throws; PostshelfError */
  async sign(read: () => Promise<readonly MediaItem[]>): Promise<MediaItem[]> {
    // Both in one request.
    const [items, workspaces] = await Promise.all([read(), this.#signing()]);
    return Promise.all(
      items.map(async (item) => {
        const workspace = item.full_name.slice(0, item.full_name.indexOf('/'));
        const signed = workspaces.has(workspace) ? await this.#keep(workspace, item) : undefined;
        return signed ? withLinks(item, signed) : item;
      }),
    );
  }

  end(): void {
    this.#isEnded = true;
    this.#forget();
  }

  /** The workspaces whose links are signed. */
  #signing(): Promise<ReadonlySet<string>> {
    this.#workspaces ??= this.trpc.me.get
      .query({})
      .then(({ data }) => new Set(data.workspaces.filter(({ links }) => links === 'signed').map(({ id }) => id)));
    this.#workspaces.catch(() => this.#forget());
    return this.#workspaces;
  }

  #keep(workspace: string, item: MediaItem): Promise<Signed | undefined> {
    const { id, thumbnail, details } = item;
    const key = [id, thumbnail?.id, details?.previews.length].join();
    const kept = this.#kept.get(key) ?? this.#ask(workspace, id);
    this.#kept.set(key, kept);
    kept.catch(() => this.#kept.delete(key));
    if (!this.#isEnded)
      this.#timer ??= setTimeout(() => {
        this.#forget();
        this.renew();
      }, RENEWAL);
    return kept;
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#workspaces = null;
    this.#kept.clear();
  }

  async #ask(workspace: string, id: string): Promise<Signed | undefined> {
    let batch = this.#batches.get(workspace);
    if (!batch || batch.ids.length === MAX_ITEMS) {
      const ids: string[] = [];
      batch = { ids, signed: this.#request(workspace, ids) };
      this.#batches.set(workspace, batch);
    }
    if (!batch.ids.includes(id)) batch.ids.push(id);
    return (await batch.signed).get(id);
  }

  async #request(workspace: string, ids: string[]): Promise<ReadonlyMap<string, Signed>> {
    await new Promise((resolve) => setTimeout(resolve, GATHERING));
    if (this.#batches.get(workspace)?.ids === ids) this.#batches.delete(workspace);
    const asked = { workspace, ids, expires_in: LIFE };
    // A repeat does no harm, so the service needn't remember the answer.
    const { data } = await this.trpc.links.createMany.mutate(asked, { idempotencyKey: null });
    return new Map(data.map((signed) => [signed.id, signed]));
  }
}

const withLinks = (item: MediaItem, { link, thumbnail, previews }: Signed): MediaItem => ({
  ...item,
  link,
  thumbnail: item.thumbnail && { ...item.thumbnail, link: thumbnail?.link ?? item.thumbnail.link },
  ...(item.details && { details: { ...item.details, previews } }),
});

/** The final link of a file, without a signature. */
export const plainLink = (link: string): string => link.replace(/\?.*$/s, '');
