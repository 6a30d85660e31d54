import { analytics } from './analytics.ts';
import { folders } from './folders.ts';
import { media } from './media.ts';
import { posts } from './posts.ts';
import { profiles } from './profiles.ts';
import { router } from './trpc.ts';

/** Every operation, for all faces: `/trpc`, the routes below `/v1`, the OpenAPI document, the typed client. */
export const appRouter = router({ folders, media, profiles, posts, analytics });

export type AppRouter = typeof appRouter;
