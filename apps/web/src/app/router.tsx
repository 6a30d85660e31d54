import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { readText } from '../address/read-text.ts';
import { readLibrarySearch } from '../media/library-search.ts';
import { readBestTimesSearch, readPostsSearch } from '../posts/filter-search.ts';
import { root as base } from '../service/root.ts';
import { SessionGate } from '../sessions/session-gate.tsx';
import { NotFound, PageError } from './error-pages.tsx';
import { Frame } from './frame.tsx';
import { lazyPage } from './lazy-page.tsx';

const root = createRootRoute({
  // The shown workspace; if absent, the session's first.
  validateSearch: (search: Record<string, unknown>) => ({ ...readText(search, 'workspace') }),
  component: () => (
    <SessionGate>
      <Frame />
    </SessionGate>
  ),
  notFoundComponent: NotFound,
});

/** The parent route of folders and items, so that the library stays mounted when they are opened and closed. */
const library = createRoute({
  getParentRoute: () => root,
  id: 'library',
  validateSearch: readLibrarySearch,
  component: lazyPage(async () => (await import('../media/library-page.tsx')).LibraryPage),
});

const routes = root.addChildren([
  library.addChildren([
    createRoute({ getParentRoute: () => library, path: '/' }),
    createRoute({ getParentRoute: () => library, path: '/folders/$folder' }),
    createRoute({ getParentRoute: () => library, path: '/media/$item' }),
  ]),
  createRoute({
    getParentRoute: () => root,
    path: '/posts',
    validateSearch: readPostsSearch,
    component: lazyPage(async () => (await import('../posts/posts-page.tsx')).PostsPage),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/best-times',
    validateSearch: readBestTimesSearch,
    component: lazyPage(async () => (await import('../best-times/best-times-page.tsx')).BestTimesPage),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/trash',
    component: lazyPage(async () => (await import('../trash/trash-page.tsx')).TrashPage),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people',
    component: lazyPage(async () => (await import('../people/people-page.tsx')).PeoplePage),
  }),
]);

export const router = createRouter({
  routeTree: routes,
  basepath: base.pathname,
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageError,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
