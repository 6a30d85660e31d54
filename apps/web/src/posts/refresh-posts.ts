import { queryClient, trpc } from '../service/service.ts';

/** Reads all shown posts and best times again, after posts were changed. */
export const refreshPosts = (): Promise<unknown> =>
  Promise.all(
    [trpc.posts, trpc.analytics].map((shown) => queryClient.invalidateQueries({ queryKey: shown.pathKey() })),
  );
