import type { MediaItem, Operations, PostshelfClient } from '@postshelf/client';

/** Seconds for which links are valid. */
const LIFE = 3600;

/** Milliseconds after which all links are renewed, long before they expire. */
const RENEWAL = (LIFE * 1000) / 2;

/**
 * Milliseconds between checks whether a renewal is due. A single timer for {@link RENEWAL} would stand still while the
 * computer sleeps, and go off after the links have expired.
 */
const CHECK_INTERVAL = 30_000;

/** Maximum number of items per call: the service's limit, which is also the size of a page. */
const MAX_ITEMS = 100;

/** Milliseconds that the first item of a call waits for other items to join. */
const GATHERING = 5;

type Signed = Operations['links']['createMany']['output']['data'][number];

interface Batch {
  readonly workspace: string;
  readonly ids: string[];
  readonly signed: Promise<readonly Signed[]>;
}

/**
 * Signs the links of items whose workspace requires signed links. Items that are read at the same time are signed in
 * one call.
 */
export interface SignedLinks {
  /** Reads items and signs their links. @throws whatever `read` throws; PostshelfError */
  sign(read: () => Promise<readonly MediaItem[]>): Promise<MediaItem[]>;
  end(): void;
}

/** Creates the signer. @param renew reloads everything that is shown, because its links expire soon */
export function createSignedLinks({ me, links }: PostshelfClient['trpc'], renew: () => unknown): SignedLinks {
  let workspaces: Promise<readonly string[]> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  /** When the oldest cached signature was asked for. */
  let since = 0;
  let batch: Batch | undefined;
  /** Cached signatures, so that an image keeps its URL and isn't loaded again when its item is read again. */
  const kept = new Map<string, Promise<Signed | undefined>>();

  const forget = (): void => {
    clearInterval(timer);
    timer = undefined;
    workspaces = undefined;
    kept.clear();
  };

  const renewIfDue = (): void => {
    if (kept.size === 0 || Date.now() - since < RENEWAL) return;
    forget();
    renew();
  };

  const readSigned = async (): Promise<readonly string[]> => {
    const { data } = await me.get.query({});
    return data.workspaces.flatMap((one) => (one.links === 'signed' ? one.id : []));
  };

  const request = async (workspace: string, ids: string[]): Promise<readonly Signed[]> => {
    await new Promise((resolve) => setTimeout(resolve, GATHERING));
    batch = undefined;
    // This call can safely be repeated, so it needs no idempotency key.
    return (await links.createMany.mutate({ workspace, ids, expires_in: LIFE }, { idempotencyKey: null })).data;
  };

  const ask = async (workspace: string, id: string): Promise<Signed | undefined> => {
    if (batch?.workspace !== workspace || batch.ids.length === MAX_ITEMS) {
      const ids: string[] = [];
      batch = { workspace, ids, signed: request(workspace, ids) };
    }
    const { ids, signed } = batch;
    if (!ids.includes(id)) ids.push(id);
    return (await signed).find((one) => one.id === id);
  };

  const keep = (workspace: string, { id, thumbnail, details }: MediaItem): Promise<Signed | undefined> => {
    const key = [id, thumbnail?.id, details?.previews.length].join();
    const cached = kept.get(key);
    if (cached) return cached;
    if (kept.size === 0) since = Date.now();
    timer ??= setInterval(renewIfDue, CHECK_INTERVAL);
    const signed = ask(workspace, id);
    kept.set(key, signed);
    signed.catch(() => kept.delete(key));
    return signed;
  };

  return {
    async sign(read) {
      renewIfDue();
      workspaces ??= readSigned();
      try {
        // The client sends both calls in one request.
        const [items, signing] = await Promise.all([read(), workspaces]);
        return await Promise.all(
          items.map(async (item) => {
            const workspace = signing.find((id) => item.full_name.startsWith(id));
            const signed = workspace && (await keep(workspace, item));
            return signed ? withLinks(item, signed) : item;
          }),
        );
      } catch (error) {
        workspaces = undefined;
        throw error;
      }
    },
    end: forget,
  };
}

const withLinks = (item: MediaItem, { link, thumbnail, previews }: Signed): MediaItem => ({
  ...item,
  link,
  thumbnail: item.thumbnail && { ...item.thumbnail, ...thumbnail, thumbnail: null },
  ...(item.details && { details: { ...item.details, previews } }),
});

/** Returns a file's permanent link, without its signature. */
export const plainLink = (link: string): string => link.replace(/\?.*/, '');
