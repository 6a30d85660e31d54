import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { LIVE, queryClient, trpc } from './service.ts';

/** For queries that {@link useLive} asks again when something changed. */
export const FRESH_UNTIL_TOLD = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

/**
 * Keeps the library as it is: asks every few seconds what was changed last and how much there is, and everything that is shown
 * again only where that is another. So a hundred seen items aren't sent over and over while nothing happens. A stream of
 * events will take its place.
 */
export function useLive(): void {
  const { workspace, media, folders } = usePulse();
  const last = media.data?.data[0];
  const mediaNow = media.data && `${workspace} ${media.data.meta.total} ${last?.id} ${last?.details?.updated_at}`;
  const folder = folders.data?.data[0];
  const foldersNow =
    folders.data && `${workspace} ${folders.data.meta.total} ${folder?.id} ${folder?.name} ${folder?.parent_id}`;
  useChanged('media', mediaNow, () => {
    refresh('media');
    refresh('folders');
  });
  useChanged('folders', foldersNow, () => refresh('folders'));
}

/** How many media there are in all; undefined while it isn't known. */
export const useMediaTotal = (): number | undefined => usePulse().media.data?.meta.total;

function usePulse() {
  const { id: workspace } = useWorkspace();
  const one = { workspace, per_page: 1 };
  const media = useQuery({ ...trpc.media.list.queryOptions({ ...one, include: 'details' }), ...LIVE });
  const folders = useQuery({ ...trpc.folders.list.queryOptions(one), ...LIVE });
  return { workspace, media, folders };
}

/** Asks again for everything shown of media or folders: after a change of this page's own, or one that was noticed. */
export function refresh(resource: 'media' | 'folders'): void {
  void queryClient.invalidateQueries({
    queryKey: trpc[resource].pathKey(),
    predicate: ({ queryKey }) => !isPulse(queryKey),
  });
}

const isPulse = (key: readonly unknown[]): boolean =>
  (key[1] as { readonly input?: { readonly per_page?: number } } | undefined)?.input?.per_page === 1;

/** What was known last, for however many parts of the page ask. */
const known = new Map<string, string>();

function useChanged(what: string, now: string | undefined, act: () => void): void {
  useEffect(() => {
    if (now === undefined || known.get(what) === now) return;
    const isFirst = !known.has(what);
    known.set(what, now);
    if (!isFirst) act();
  });
}
