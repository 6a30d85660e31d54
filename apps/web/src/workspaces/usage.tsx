import { formatBytes } from '@postshelf/browser/ui/format-bytes.ts';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useQuery } from '@tanstack/react-query';
import { FRESH_UNTIL_INVALIDATED } from '../service/live.ts';
import { trpc } from '../service/service.ts';
import { useWorkspace } from './use-workspace.ts';

/** Shows the workspace's storage usage and its limit. */
export function Usage() {
  const { id: workspace } = useWorkspace();
  const found = useQuery({ ...trpc.workspaces.usage.queryOptions({ workspace }), ...FRESH_UNTIL_INVALIDATED });
  if (!found.data) return null;
  const { bytes, trash_bytes, max_bytes, items, trash_items, max_items } = found.data.data;
  const used = formatBytes(bytes + trash_bytes) + (max_bytes === null ? '' : ` of ${formatBytes(max_bytes)}`);
  const counted =
    max_items === null ? '' : `, ${formatNumber(items + trash_items)} of ${formatNumber(max_items)} items`;
  return (
    <p className="frame-usage" title="Storage used, including the trash">
      {used}
      {counted}
    </p>
  );
}
