import type { MediaItem } from '@postshelf/client';
import { useMemo, useRef } from 'react';
import { useStableList } from '../ui/use-stable-list.ts';
import { MediaRows, PAGE_SIZE } from './media-rows.ts';

export interface VisibleRows {
  readonly from: number;
  readonly to: number;
  /** Position of the focused row, or -1. Its page stays loaded while it is scrolled out of view. */
  readonly focused: number;
}

export const INITIALLY_VISIBLE: VisibleRows = { from: 0, to: 1, focused: -1 };

const pageOf = (index: number): number => Math.floor(index / PAGE_SIZE) + 1;

/** Returns the numbers of the pages to read: the first page, the visible pages, and the page of the focused row. */
export function pagesOf({ from, to, focused }: VisibleRows): number[] {
  const pages = new Set([1]);
  for (let page = pageOf(from); page <= pageOf(Math.max(from, to - 1)); page += 1) pages.add(page);
  if (focused >= 0) pages.add(pageOf(focused));
  return [...pages];
}

export interface ReadPage {
  readonly data: { readonly data: readonly MediaItem[]; readonly meta: { readonly total: number } } | undefined;
  readonly dataUpdatedAt: number;
  readonly error: unknown;
  refetch(): unknown;
}

/**
 * Returns the rows of a list from the pages read so far.
 *
 * @param place identifies the list without its search. While the rows of a new search are loading, the previous rows
 *   are shown if they have the same `place`.
 * @param pages the numbers of the pages, page 1 first
 * @param results the queries of these pages
 */
export function useMediaRows(place: string, pages: readonly number[], results: readonly ReadPage[]) {
  const read = results
    .map(({ data, dataUpdatedAt }, at) => ({ page: pages[at] ?? 1, data, dataUpdatedAt }))
    .filter((answer) => answer.data !== undefined)
    .sort((one, other) => other.dataUpdatedAt - one.dataUpdatedAt);
  const total = read[0]?.data?.meta.total ?? 0;
  const answers = useStableList([total, ...read.flatMap(({ page, data }) => (data ? [page, data.data] : []))]);
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
  const before = useRef({ place, rows });
  if (isReady) before.current = { place, rows };
  const isOld = !isReady && !first?.error && before.current.place === place && before.current.rows.size > 0;
  return {
    rows: isOld ? before.current.rows : rows,
    state: isReady || isOld ? ('ready' as const) : first?.error ? ('failed' as const) : ('loading' as const),
    isOld,
    error: first?.error ?? null,
    retry: () => void first?.refetch(),
  };
}
