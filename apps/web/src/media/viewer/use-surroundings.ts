import { MediaRows, PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import type { MediaItem } from '@postshelf/client';
import { hashKey, type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { FRESH_UNTIL_INVALIDATED } from '../../service/live.ts';
import { trpc } from '../../service/service.ts';
import type { MediaFilter } from '../use-media-filter.ts';
import { pageQuery } from '../use-media-pages.ts';

/** The list behind an open item, as far as it has been read. */
export interface Surroundings {
  /** Number of items in the list; 1 while the item's position isn't known. */
  readonly size: number;
  /** The position of the open item. */
  readonly index: number;
  /**
   * Returns the item at a position; null while it hasn't been read, or if the position is beyond the ends of the list.
   */
  at(index: number): MediaItem | null;
}

/** Number of items that are read ahead on each side of the open one. A filmstrip on a wide screen shows as many. */
const AROUND = 16;

/**
 * Returns the items around an open item.
 *
 * @param id the open item's id
 * @param item undefined while it hasn't been read; in a list sorted by age, its creation time gives its position, even
 *   if that page of the list hasn't been read
 */
export function useSurroundings(id: string, item: MediaItem | undefined, filter: MediaFilter): Surroundings {
  const read = readPages(useQueryClient(), filter);
  const total = read[0]?.answer.meta.total ?? 0;
  const rows = new MediaRows(
    total,
    read.map(({ page, answer }) => [page, answer.data]),
  );
  const index = rows.indexOf(id);
  const isUnknown = index === -1 && total > rows.known;
  const place = usePlaceByAge(filter, isUnknown ? item?.details?.created_at : undefined);
  const around = index === -1 ? [] : [index - AROUND, index, index + AROUND].filter((at) => at >= 0 && at < total);
  const pages = new Set((place === null ? around : [place]).map((at) => Math.floor(at / PAGE_SIZE) + 1));
  useQueries({ queries: Array.from(pages, (page) => ({ ...pageQuery(filter, page), ...FRESH_UNTIL_INVALIDATED })) });
  if (index === -1) return { size: 1, index: 0, at: (at) => (at === 0 ? (item ?? null) : null) };
  return { size: total, index, at: (at) => (at === index && item ? item : rows.valueAt(at)) };
}

/**
 * Returns the position of the item with this creation time, which is the number of items before it; null if it isn't
 * known, or if the list isn't sorted by age.
 */
function usePlaceByAge(filter: MediaFilter, createdAt: string | undefined): number | null {
  const end = { '-created_at': 'from', created_at: 'to' }[filter.sort as string];
  const { data } = useQuery({
    ...trpc.media.list.queryOptions({ ...filter, ...(end && { [end]: createdAt }), per_page: 1 }),
    enabled: end !== undefined && createdAt !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data && end !== undefined && createdAt !== undefined ? Math.max(0, data.meta.total - 1) : null;
}

/** Returns the cached pages of the list, whichever component has read them. */
function readPages(client: QueryClient, filter: MediaFilter) {
  return client
    .getQueryCache()
    .findAll({ queryKey: trpc.media.list.pathKey() })
    .flatMap(({ queryKey, queryHash }) => {
      const page = (queryKey[1] as { readonly input?: { readonly page?: number } } | undefined)?.input?.page ?? 1;
      const key = pageQuery(filter, page).queryKey;
      const answer = queryHash === hashKey(key) ? client.getQueryData(key) : undefined;
      return answer ? [{ page, answer }] : [];
    });
}
