import { keepCurrent } from '@postshelf/browser/events/keep-current.ts';
import type { Resource } from '@postshelf/browser/events/stream-message.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { checkConnection } from './connection.ts';
import { root } from './root.ts';
import { client, queryClient, trpc } from './service.ts';

/** Options of queries that are refreshed only by {@link useLiveUpdates}, after a change. */
export const FRESH_UNTIL_INVALIDATED = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

/**
 * Keeps everything that is shown about a workspace up to date, by listening to the workspace's events.
 *
 * @param isEnabled whether the service accepts the session
 */
export function useLiveUpdates(workspace: string, isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled) return;
    return keepCurrent({
      client,
      workspace,
      name: `postshelf ${root.pathname} ${workspace}`,
      attempt: (call) => call(),
      refresh: (changed) => Promise.all(Array.from(changed, (resource) => REFRESH[resource]())),
      onConnection(isOpen) {
        if (!isOpen) checkConnection();
      },
    });
  }, [workspace, isEnabled]);
}

/** Returns the total media count; undefined until it is read. */
export const useMediaTotal = (workspace: string): number | undefined =>
  useQuery({ ...trpc.media.list.queryOptions({ workspace, per_page: 1 }), ...FRESH_UNTIL_INVALIDATED }).data?.meta
    .total;

/**
 * Refreshes all shown media or folders after a change by this page or another client. Resolves once they have been read
 * again.
 */
export async function refresh(resource: 'media' | 'folders'): Promise<void> {
  const others = resource === 'media' ? [trpc.workspaces, trpc.trash] : [];
  await Promise.all([trpc[resource], ...others].map((shown) => invalidate(shown.pathKey())));
}

const invalidate = (queryKey: readonly unknown[]): Promise<void> => queryClient.invalidateQueries({ queryKey });

/**
 * Refreshes everything that shows a resource. Folders show the number of their media, posts show their images, and
 * items show the number of their posts.
 */
const REFRESH: Readonly<Record<Resource, () => Promise<unknown>>> = {
  media: () =>
    Promise.all([
      refresh('media'),
      refresh('folders'),
      invalidate(trpc.readiness.pathKey()),
      invalidate(trpc.posts.pathKey()),
    ]),
  folders: () => refresh('folders'),
  posts: () =>
    Promise.all([
      invalidate(trpc.posts.pathKey()),
      invalidate(trpc.analytics.pathKey()),
      invalidate(trpc.media.get.pathKey()),
    ]),
};
