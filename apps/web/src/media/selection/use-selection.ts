import { type MediaRows, PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { client, queryClient } from '../../service/service.ts';
import { useNotify } from '../../ui/notices.tsx';
import type { MediaFilter } from '../use-media-filter.ts';
import { pageQuery } from '../use-media-pages.ts';

/** The selection in the current list. */
export function useSelection(filter: MediaFilter, rows: MediaRows) {
  const notify = useNotify();
  return useRowSelection({
    list: JSON.stringify(filter),
    rows,
    async readPage(page) {
      const { data } = await queryClient.fetchQuery({ ...pageQuery(filter, page), staleTime: 30_000 });
      return data;
    },
    async readAll() {
      const items = new Map<string, MediaItem>();
      const input = { ...filter, per_page: PAGE_SIZE, include: 'details' as const };
      // This may take many seconds, before the change or download itself shows anything.
      const notice = notify({ text: `Reading ${plural(rows.size, 'item')}…`, isPending: true });
      try {
        for await (const { data } of client.pages(client.trpc.media.list, input)) {
          for (const item of data) items.set(item.id, item);
          const read = `${formatNumber(items.size)} of ${plural(rows.size, 'item')}`;
          notice.replace({ text: `Reading ${read}…`, isPending: true });
        }
      } finally {
        notice.close();
      }
      return [...items.values()];
    },
  });
}
