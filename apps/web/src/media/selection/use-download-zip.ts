import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { client } from '../../service/service.ts';
import { useNotify } from '../../ui/notices.tsx';
import { startDownload } from '../../ui/start-download.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Maximum number of items in a ZIP file, as in the service. */
const MAX_ITEMS = 10_000;

/**
 * Returns a function that makes the browser download items as one ZIP file. The page doesn't hold the file in memory.
 */
export function useDownloadZip(): (items: readonly MediaItem[]) => Promise<void> {
  const notify = useNotify();
  const { id: workspace } = useWorkspace();
  return async (items) => {
    const ids = items.filter(({ status }) => status === 'active').map(({ id }) => id);
    if (ids.length === 0) {
      notify({ text: 'None of the items has a file yet.' });
      return;
    }
    if (ids.length > MAX_ITEMS) {
      const max = formatNumber(MAX_ITEMS);
      notify({ text: `A ZIP file holds at most ${max} items. Select fewer of them.`, tone: 'bad' });
      return;
    }
    const { data } = await client.trpc.media.zip.mutate({ workspace, ids }, { idempotencyKey: null });
    // The page stays open, because the response is an attachment.
    startDownload(data.link);
    const waiting = items.length - ids.length;
    const left = waiting > 0 ? ` ${plural(waiting, 'item')} ${waiting === 1 ? 'has' : 'have'} no file yet.` : '';
    notify({ text: `The download of ${plural(ids.length, 'item')} begins.${left}` });
  };
}
