import { analytics } from './best-times/operations.ts';
import { folders } from './folders/operations.ts';
import { media } from './media/operations.ts';
import { posts } from './posts/operations.ts';
import { profiles } from './posts/profiles.ts';
import { router } from '../faces/trpc/router.ts';

/** Every operation, for all faces: `/trpc`, the routes below `/v1`, the OpenAPI document, the typed client. */
export const appRouter = router({ folders, media, profiles, posts, analytics });

export type AppRouter = typeof appRouter;
