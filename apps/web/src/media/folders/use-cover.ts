import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FRESH_UNTIL_INVALIDATED } from '../../service/live.ts';
import { trpc } from '../../service/service.ts';
import { signed } from '../../service/signed.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Width of the cover in pixels. */
const WIDTH = 72;

/**
 * Returns the link to a preview of a folder's newest item; null if there is none, until it is read, and without a
 * folder.
 */
export function useCover(folder: string | null): { readonly cover: string | null; onFailed(): void } {
  const { id: workspace } = useWorkspace();
  const [failed, setFailed] = useState<string | null>(null);
  const { data } = useQuery({
    ...signed(
      trpc.media.list.queryOptions({
        workspace,
        folder_id: folder ?? '',
        status: 'active',
        sort: '-created_at',
        per_page: 1,
        include: 'details',
      }),
    ),
    ...FRESH_UNTIL_INVALIDATED,
    enabled: folder !== null,
  });
  const newest = data?.data[0];
  const link = newest ? previewOf(newest, WIDTH, devicePixelRatio) : null;
  return { cover: link === failed ? null : link, onFailed: () => setFailed(link) };
}
