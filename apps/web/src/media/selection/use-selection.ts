import type { MediaRows } from '@postshelf/browser/media/media-rows.ts';
import { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { readAll } from '../../service/read-all.ts';
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
      const input = { ...filter, include: 'details' as const };
      // This may take many seconds, before the change or download itself shows anything.
      const notice = notify({ text: `Reading ${plural(rows.size, 'item')}…`, isPending: true });
      try {
        const onPage = (read: number): void =>
          notice.replace({
            text: `Reading ${formatNumber(read)} of ${plural(rows.size, 'item')}…`,
            isPending: true,
          });
        const { rows: items } = await readAll(client.trpc.media.list, input, { onPage });
        // An item appears on two pages if the list changes in between.
        return [...new Map(items.map((item) => [item.id, item])).values()];
      } finally {
        notice.close();
      }
    },
  });
}
