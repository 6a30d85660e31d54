import { PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { pagesOf, useMediaRows, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { isRefused } from '@postshelf/browser/queries/retries.ts';
import { useQueries } from '@tanstack/react-query';
import { FRESH_UNTIL_INVALIDATED } from '../service/live.ts';
import { trpc } from '../service/service.ts';
import { signed } from '../service/signed.ts';
import type { MediaFilter } from './use-media-filter.ts';

/** The service's query for one page of the list. */
export const pageQuery = (filter: MediaFilter, page: number) =>
  signed(trpc.media.list.queryOptions({ ...filter, page, per_page: PAGE_SIZE, include: 'details' }));

/** Milliseconds after which a page that couldn't be read is read again. Its rows stay empty until then. */
const AFTER_FAILURE = 10_000;

interface FailedQuery {
  readonly state: { readonly status: string; readonly error: unknown };
}

const pauseAfterFailure = ({ state: { status, error } }: FailedQuery): number | false =>
  status === 'error' && !isRefused(error) ? AFTER_FAILURE : false;

/** Returns the rows of the list; only the first page and the pages with visible rows are read and refreshed. */
export function useMediaPages(filter: MediaFilter, visible: VisibleRows) {
  const pages = pagesOf(visible);
  const results = useQueries({
    queries: pages.map((page) => ({
      ...pageQuery(filter, page),
      ...FRESH_UNTIL_INVALIDATED,
      refetchInterval: pauseAfterFailure,
      trpc: { abortOnUnmount: true },
    })),
  });
  return useMediaRows(JSON.stringify([filter.workspace, filter.folder_id]), pages, results);
}
