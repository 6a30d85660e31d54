import { createPostshelfClient, type Operations, PostshelfError } from '@postshelf/client';
import type { PostshelfRouter } from '@postshelf/client/router';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { TRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { root } from './root.ts';

/** The service that gave this page, asked as whoever the browser's session belongs to. */
export const client = createPostshelfClient({ baseUrl: root, token: null });

/** Whom the session belongs to, and what may be entered by it. */
export type Me = Operations['me']['get']['output']['data'];

/** The query of {@link Me}, which `sessions/session-gate.tsx` makes. */
export const ME_KEY = ['me'] as const;

/** Where a session ended, the page asks for a token again: `sessions/session-gate.tsx`. */
export function noteEndOfSession(error: Error, key?: readonly unknown[]): void {
  if (isSignedOut(error) && key?.[0] !== ME_KEY[0]) void queryClient.invalidateQueries({ queryKey: ME_KEY });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => noteEndOfSession(error, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noteEndOfSession(error) }),
  defaultOptions: {
    queries: {
      // What the service refused it refuses the next time, too; what passes is tried again.
      retry: (failures, error) => !isRefused(error) && failures < 4,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
      staleTime: 2000,
      // Whether the network is there shows by asking: browsers are wrong about it for a service on the same machine.
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

/** For queries whose answers others may change: asked again every few seconds while the page is seen. */
export const LIVE = { refetchInterval: 3000, refetchOnWindowFocus: true } as const;

/** Whether the service said no for good: asking again gives the same. */
export const isRefused = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError && error.code === 'refused' && error.status < 500 && error.status !== 429;

/** Whether no answer came, or one of a proxy that had none either. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof PostshelfError && (error.code === 'unreachable' || error.status === 502 || error.status === 504);

export const isSignedOut = (error: unknown): boolean => error instanceof PostshelfError && error.status === 401;

/** What went wrong, in a sentence for whoever sits before the page: the service's own where there is one. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PostshelfError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return 'The service cannot be reached. The page goes on as soon as it can.';
  const details = Object.values(error.errors).flat();
  return details.length > 0 ? details.join(' ') : error.message;
}
