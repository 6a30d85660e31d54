import { createPostshelfClient, type Operations, PostshelfError } from '@postshelf/client';
import type { PostshelfRouter } from '@postshelf/client/router';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { TRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { root } from './root.ts';

/** The client of the service that served this page, as whoever the browser's session belongs to. */
export const client = createPostshelfClient({ baseUrl: root, token: null });

/** The token of the session, and its workspaces. */
export type Me = Operations['me']['get']['output']['data'];

/** The query of {@link Me}, which `sessions/session-gate.tsx` makes. */
export const ME_KEY = ['me'] as const;

/** When the session has ended, the page asks for a token again: `sessions/session-gate.tsx`. */
export function noteEndOfSession(error: Error, key?: readonly unknown[]): void {
  if (isSignedOut(error) && key?.[0] !== ME_KEY[0]) void queryClient.invalidateQueries({ queryKey: ME_KEY });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => noteEndOfSession(error, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noteEndOfSession(error) }),
  defaultOptions: {
    queries: {
      // A refused request would be refused again; other failures are retried.
      retry: (failures, error) => !isRefused(error) && failures < 4,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
      staleTime: 2000,
      // Requests are made even when the browser says that it is offline: it is wrong about a service on the same
      // machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Options of queries and mutations for TanStack Query, by the names of the operations:
 * `useQuery(trpc.media.list.queryOptions({ workspace }))`. The client's calls are tRPC's own, with errors of its own.
 */
export const trpc = createTRPCOptionsProxy<PostshelfRouter>({
  client: client.trpc as unknown as TRPCClient<PostshelfRouter>,
  queryClient,
});

/** For queries whose answers others may change: repeated every few seconds while the page is visible. */
export const LIVE = { refetchInterval: 3000, refetchOnWindowFocus: true } as const;

/** Whether the service refused for good: a repeat gives the same. */
export const isRefused = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError && error.code === 'refused' && error.status < 500 && error.status !== 429;

/** Whether there was no answer, or one of a proxy that got none. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof PostshelfError && (error.code === 'unreachable' || error.status === 502 || error.status === 504);

export const isSignedOut = (error: unknown): boolean => error instanceof PostshelfError && error.status === 401;

/** The error in a sentence for the user: the service's own where there is one. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PostshelfError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return 'The service cannot be reached. The page goes on as soon as it can.';
  const details = Object.values(error.errors).flat();
  return details.length > 0 ? details.join(' ') : error.message;
}
