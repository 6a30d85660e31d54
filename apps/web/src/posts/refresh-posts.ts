import { queryClient, trpc } from '../service/service.ts';

/** Refreshes all shown posts and best times after posts were changed. */
export const refreshPosts = (): Promise<unknown> =>
  Promise.all(
    [trpc.posts, trpc.analytics].map((shown) => queryClient.invalidateQueries({ queryKey: shown.pathKey() })),
  );
