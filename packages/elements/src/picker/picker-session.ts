import { Changes } from '@postshelf/browser/events/changes.ts';
import { keepCurrent } from '@postshelf/browser/events/keep-current.ts';
import { createSignedLinks, type SignedLinks } from '@postshelf/browser/links/signed-links.ts';
import { PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { retryingQueries } from '@postshelf/browser/queries/retries.ts';
import type { Kind } from '@postshelf/browser/uploads/upload.ts';
import { createPostshelfClient, type MediaItem, type PostshelfClient, PostshelfError } from '@postshelf/client';
import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Access } from './access.ts';
import { PickerUploads } from './picker-uploads.ts';

/** The query of the list, without the page number. */
export interface PickerFilter {
  readonly workspace: string;
  readonly folder_id?: string;
  readonly type?: Kind;
  readonly search?: string;
}

/** Query for items that can be chosen, newest first. */
const LISTED = { include: 'details', status: 'active', sort: '-created_at' } as const;

/** Milliseconds for which a list counts as fresh; an older one is refreshed when the user returns to the page. */
const FRESH = 5000;

/** The state of one picker for one service: its cache, uploads and calls. */
export class PickerSession {
  readonly client: PostshelfClient;
  readonly queries: QueryClient;
  readonly uploads: PickerUploads;
  readonly links: SignedLinks;
  #hasHinted = false;
  readonly #uploaded = new Set<(item: MediaItem) => void>();
  readonly #over = new AbortController();
  readonly #changes = new Changes(() => this.queries.invalidateQueries());

  /** @throws TypeError if `baseUrl` isn't an http or https URL */
  constructor(
    private readonly baseUrl: string,
    private readonly access: Access,
  ) {
    const { token } = access;
    this.client = createPostshelfClient({ baseUrl, token });
    this.queries = new QueryClient({
      queryCache: new QueryCache({ onError: (error) => this.#hint(error, baseUrl) }),
      defaultOptions: {
        queries: { ...retryingQueries(2), staleTime: FRESH },
      },
    });
    this.links = createSignedLinks(this.client.trpc, () => this.queries.invalidateQueries());
    this.uploads = new PickerUploads({
      client: createPostshelfClient({ baseUrl, token, repeats: 0 }),
      attempt: (call) => access.attempt(call),
      onDone: (item) => this.#notify(item),
    });
  }

  /** Whether the session has ended, so that failures only mean that it was aborted. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Returns the query for one page of a list. */
  pageQuery(filter: PickerFilter, page: number) {
    const input = { ...filter, ...LISTED, page, per_page: PAGE_SIZE };
    return queryOptions({
      queryKey: ['media', input],
      queryFn: ({ signal }) =>
        this.attempt(async () => {
          const page = this.client.trpc.media.list.query(input, { signal });
          const data = await this.links.sign(async () => (await page).data);
          return { ...(await page), data };
        }),
    });
  }

  /** Reads all items of a list. */
  async readAll(filter: PickerFilter): Promise<MediaItem[]> {
    const items = new Map<string, MediaItem>();
    for (let page = 1; ; page += 1) {
      const { data, meta } = await this.queries.fetchQuery(this.pageQuery(filter, page));
      for (const item of data) items.set(item.id, item);
      if (data.length === 0 || page * PAGE_SIZE >= meta.total) return [...items.values()];
    }
  }

  attempt<T>(call: () => Promise<T>): Promise<T> {
    return this.access.attempt(call);
  }

  /**
   * Reads the items with these ids, except items that can't be chosen.
   *
   * @throws PostshelfError if the service can't be reached
   */
  async readItems(workspace: string, ids: readonly string[]): Promise<MediaItem[]> {
    const read = async (id: string): Promise<MediaItem[]> => {
      try {
        return [(await this.client.trpc.media.get.query({ id, include: 'details' })).data];
      } catch (error) {
        if (error instanceof PostshelfError && error.status === 404) return [];
        throw error;
      }
    };
    const items = await this.attempt(() => this.links.sign(async () => (await Promise.all(ids.map(read))).flat()));
    return items.filter((item) => item.status === 'active' && item.full_name.startsWith(`${workspace}/`));
  }

  /** Has the service download a file, and waits for it. @throws PostshelfError if that fails */
  async importUrl(workspace: string, folder: string | null, url: string): Promise<void> {
    const { signal } = this.#over;
    const wanted = { workspace, url, ...(folder !== null && { folder_id: folder }) };
    const { data } = await this.attempt(() => this.client.trpc.media.importUrl.mutate(wanted, { signal }));
    for (const { id } of data)
      this.#notify(await this.attempt(() => this.client.waitUntilReady(id, { workspace, signal })));
  }

  #notify(item: MediaItem): void {
    // A thousand uploads in a row would otherwise start and abort a thousand requests for the list.
    this.#changes.add(['media']);
    for (const listener of this.#uploaded) listener(item);
  }

  /** Repeats failed queries. */
  async retryFailed(): Promise<void> {
    await this.queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  }

  /** Keeps a workspace's lists current. @returns a function that stops the updates */
  follow(workspace: string): () => void {
    return keepCurrent({
      client: this.client,
      workspace,
      name: `postshelf-picker ${this.baseUrl} ${workspace}`,
      types: ['media.active', 'media.updated', 'media.deleted'],
      attempt: (call) => this.attempt(call),
      refresh: () => this.queries.invalidateQueries(),
      onConnection: (isOpen) => isOpen && void this.retryFailed(),
    });
  }

  /** Calls the listener for each item that this picker has uploaded. @returns a function that removes the listener */
  onUploaded(listener: (item: MediaItem) => void): () => void {
    this.#uploaded.add(listener);
    return () => this.#uploaded.delete(listener);
  }

  /**
   * Logs a hint once for the page's developers: the browser may have blocked cross-origin responses, which scripts
   * can't detect.
   */
  #hint(error: Error, baseUrl: string): void {
    const { origin } = location;
    if (this.#hasHinted || !(error instanceof PostshelfError) || error.code !== 'unreachable') return;
    if (new URL(baseUrl, location.href).origin === origin) return;
    this.#hasHinted = true;
    // biome-ignore lint/suspicious/noConsole: the page's developers have no other way to notice it
    console.warn(
      `<postshelf-picker> got no answer from ${baseUrl}. If the service is running, add ${origin} to its CORS_ORIGINS, and ${baseUrl} to connect-src in this page's Content-Security-Policy.`,
    );
  }

  /** Aborts uploads and queries, and clears the cache. */
  end(): void {
    this.#over.abort();
    this.#changes.end();
    this.links.end();
    this.uploads.end();
    void this.queries.cancelQueries();
    this.queries.clear();
  }
}
