import { retryingQueries } from '@postshelf/browser/queries/retries.ts';
import { createPostshelfClient, type FieldErrors, type Operations, PostshelfError } from '@postshelf/client';
import type { PostshelfRouter } from '@postshelf/client/router';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { TRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { root } from './root.ts';

/** The client of the service that served this page, authorized by the browser's session. */
export const client = createPostshelfClient({ baseUrl: root, token: null });

/** The token or person of the session, and its workspaces. */
export type Me = Operations['me']['get']['output']['data'];

/** The key of the query for {@link Me}, which is in `sessions/session-gate.tsx`. */
export const ME_KEY = ['me'] as const;

/** Makes `sessions/session-gate.tsx` ask for a token again if an error shows that the session has ended. */
export function checkSession(error: Error, key?: readonly unknown[]): void {
  if (isSignedOut(error) && key?.[0] !== ME_KEY[0]) void queryClient.invalidateQueries({ queryKey: ME_KEY });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => checkSession(error, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => checkSession(error) }),
  defaultOptions: {
    queries: { ...retryingQueries(4), staleTime: 2000 },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Options of queries and mutations for TanStack Query, by the names of the operations:
 * `useQuery(trpc.media.list.queryOptions({ workspace }))`. The client's `trpc` has the interface of tRPC's own client,
 * but throws `PostshelfError`s.
 */
export const trpc = createTRPCOptionsProxy<PostshelfRouter>({
  client: client.trpc as unknown as TRPCClient<PostshelfRouter>,
  queryClient,
});

/** Whether the service didn't respond: there was no response, or a proxy's error. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof PostshelfError && (error.code === 'unreachable' || error.status === 502 || error.status === 504);

export const isSignedOut = (error: unknown): boolean => error instanceof PostshelfError && error.status === 401;

/** Returns the service's messages about the fields of a refused request. */
export const fieldErrorsOf = (error: unknown): FieldErrors => (error instanceof PostshelfError ? error.errors : {});

/** The service's message about a missing scope, which means nothing to users. */
const MISSING_SCOPE = /^The scope (\S+) is missing\.$/;

/** Returns the error message for the user: the service's own if there is one. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PostshelfError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return 'Can’t reach the server. We’ll reconnect automatically.';
  const [, scope] = (error.status === 403 && MISSING_SCOPE.exec(error.message)) || [];
  if (scope !== undefined) return `You don’t have permission to do this here (${scope}).`;
  const details = Object.values(error.errors).flat();
  return details.length > 0 ? details.join(' ') : error.message;
}
