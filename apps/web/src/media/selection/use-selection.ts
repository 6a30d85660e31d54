import { type MediaRows, PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import type { MediaItem } from '@postshelf/client';
import { client, queryClient } from '../../service/service.ts';
import type { MediaFilter } from '../use-media-filter.ts';
import { pageQuery } from '../use-media-pages.ts';

/** The selection in the current list. */
export const useSelection = (filter: MediaFilter, rows: MediaRows) =>
  useRowSelection({
    list: JSON.stringify(filter),
    rows,
    async readPage(page) {
      const { data } = await queryClient.fetchQuery({ ...pageQuery(filter, page), staleTime: 30_000 });
      return data;
    },
    async readAll() {
      const items = new Map<string, MediaItem>();
      const input = { ...filter, per_page: PAGE_SIZE, include: 'details' as const };
      for await (const { data } of client.pages(client.trpc.media.list, input))
        for (const item of data) items.set(item.id, item);
      return [...items.values()];
    },
  });
