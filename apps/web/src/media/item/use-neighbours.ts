import { isUnread, MediaRows, PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { hashKey, type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { FRESH_UNTIL_INVALIDATED } from '../../service/live.ts';
import { trpc } from '../../service/service.ts';
import type { MediaFilter } from '../use-media-filter.ts';
import { pageQuery } from '../use-media-pages.ts';

export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * The previous and next item in the list behind an open item; null at the list's ends, and while the item's position
 * isn't known.
 *
 * @param createdAt when the item was created, if known; it determines the position in a list that is sorted by age,
 *   even on a page that wasn't read
 */
export function useNeighbours(id: string, filter: MediaFilter, createdAt: string | undefined): Neighbours {
  const read = readPages(useQueryClient(), filter);
  const total = read[0]?.answer.meta.total ?? 0;
  const rows = new MediaRows(
    total,
    read.map(({ page, answer }) => [page, answer.data]),
  );
  const index = rows.indexOf(id);
  const beside = index === -1 ? [] : [index - 1, index + 1].filter((at) => at >= 0 && at < total);
  const isUnknown = index === -1 && total > rows.known;
  const place = usePlaceByAge(filter, isUnknown ? createdAt : undefined);
  // Items on neighbouring pages are read when needed.
  const pages = new Set((place === null ? beside : [place]).map((at) => Math.floor(at / PAGE_SIZE) + 1));
  useQueries({ queries: Array.from(pages, (page) => ({ ...pageQuery(filter, page), ...FRESH_UNTIL_INVALIDATED })) });
  const at = (place: number): string | null => {
    if (!beside.includes(place)) return null;
    const key = rows.keyAt(place);
    return isUnread(key) ? null : key;
  };
  return { previous: at(index - 1), next: at(index + 1) };
}

/**
 * The position of an item that was created at that time, by the number of items that the service counts before it; null
 * if the list isn't sorted by age.
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

/** The cached pages of the list, whichever component has read them. */
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
