import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { FRESH_UNTIL_TOLD } from '../service/live.ts';
import { trpc } from '../service/service.ts';
import { useSame } from '../ui/use-same.ts';
import { MediaRows, PAGE_SIZE } from './media-rows.ts';
import type { MediaFilter } from './use-media-filter.ts';

export interface Seen {
  readonly from: number;
  readonly to: number;
  /** The place of the row that has the focus; -1 for none. It stays known while it is scrolled away. */
  readonly focused: number;
}

const pageOf = (index: number): number => Math.floor(index / PAGE_SIZE) + 1;

function pagesOf({ from, to, focused }: Seen): number[] {
  const pages = new Set([1]);
  for (let page = pageOf(from); page <= pageOf(Math.max(from, to - 1)); page += 1) pages.add(page);
  if (focused >= 0) pages.add(pageOf(focused));
  return [...pages];
}

/** What is asked of the service for one page of the list. */
export const pageQuery = (filter: MediaFilter, page: number) =>
  trpc.media.list.queryOptions({ ...filter, page, per_page: PAGE_SIZE, include: 'details' });

/** The rows of the list, of which only the pages that are seen, and the first, are read and kept up to date. */
export function useMediaPages(filter: MediaFilter, seen: Seen) {
  const pages = pagesOf(seen);
  const results = useQueries({
    queries: pages.map((page) => ({ ...pageQuery(filter, page), ...FRESH_UNTIL_TOLD, trpc: { abortOnUnmount: true } })),
  });
  const read = results
    .map(({ data, dataUpdatedAt }, at) => ({ page: pages[at] ?? 1, data, dataUpdatedAt }))
    .filter((answer) => answer.data !== undefined)
    .sort((one, other) => other.dataUpdatedAt - one.dataUpdatedAt);
  const total = read[0]?.data?.meta.total ?? 0;
  const answers = useSame([total, ...read.flatMap(({ page, data }) => (data ? [page, data.data] : []))]);
  const rows = useMemo(
    () =>
      new MediaRows(
        total,
        read.flatMap(({ page, data }) => (data ? [[page, data.data]] : [])),
      ),
    [answers],
  );
  const first = results[0];
  const isReady = first?.data !== undefined;
  // A search shows what was found before until its own answer is there; another folder doesn't.
  const before = useRef({ filter, rows });
  const isSamePlace =
    before.current.filter.folder_id === filter.folder_id && before.current.filter.workspace === filter.workspace;
  if (isReady) before.current = { filter, rows };
  const isOld = !isReady && first?.error === null && isSamePlace && before.current.rows.size > 0;
  return {
    rows: isOld ? before.current.rows : rows,
    state: isReady || isOld ? ('ready' as const) : first?.error ? ('failed' as const) : ('loading' as const),
    isOld,
    error: first?.error ?? null,
    retry: () => void first?.refetch(),
  };
}
