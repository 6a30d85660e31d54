import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { POLLED, queryClient, trpc } from './service.ts';

/** Options of queries that don't refresh themselves, as {@link useLibraryUpdates} does it when something has changed. */
export const FRESH_UNTIL_INVALIDATED = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

/**
 * Keeps the library current. Every few seconds it reads only the most recently changed item and folder, and their total
 * numbers, and refreshes everything that is shown if one of these has changed. A stream of events will replace it.
 */
export function useLibraryUpdates(workspace: string): void {
  const { media, folders } = useLibraryPoll(workspace);
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

/** The number of all media; undefined until it is read. */
export const useMediaTotal = (workspace: string): number | undefined =>
  useLibraryPoll(workspace).media.data?.meta.total;

/** Marks the poll's own queries, which aren't refreshed by what they find. */
const POLL = {};

function useLibraryPoll(workspace: string) {
  const one = { workspace, per_page: 1 };
  const media = useQuery({ ...trpc.media.list.queryOptions({ ...one, include: 'details' }), ...POLLED, meta: POLL });
  const folders = useQuery({ ...trpc.folders.list.queryOptions(one), ...POLLED, meta: POLL });
  return { media, folders };
}

/** Refreshes all shown media or folders, after a change by this page or somebody else. Ends when they are shown. */
export const refresh = (resource: 'media' | 'folders'): Promise<void> =>
  queryClient.invalidateQueries({
    queryKey: trpc[resource].pathKey(),
    predicate: ({ meta }) => meta !== POLL,
  });

/** The last known state, shared by all components. */
const known = new Map<string, string>();

function useChanged(what: string, now: string | undefined, act: () => void): void {
  useEffect(() => {
    if (now === undefined || known.get(what) === now) return;
    const isFirst = !known.has(what);
    known.set(what, now);
    if (!isFirst) act();
  });
}
