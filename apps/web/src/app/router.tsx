import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { SessionGate } from '../sessions/session-gate.tsx';
import { Frame } from './frame.tsx';
import { readLibrarySearch } from './library-search.ts';
import { NotFound } from './not-found.tsx';
import { readText } from './read-text.ts';

const root = createRootRoute({
  // Which of the token's workspaces is shown; absent, the first.
  validateSearch: (search: Record<string, unknown>) => ({ ...readText(search, 'workspace') }),
  component: () => (
    <SessionGate>
      <Frame />
    </SessionGate>
  ),
  notFoundComponent: NotFound,
});

/** The library stays as it is while folders change and items are opened and closed above it. */
const library = createRoute({
  getParentRoute: () => root,
  id: 'library',
  validateSearch: readLibrarySearch,
  component: lazyRouteComponent(() => import('../media/library-page.tsx'), 'LibraryPage'),
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
    validateSearch: (search: Record<string, unknown>) => ({
      ...readText(search, 'profile'),
      ...readText(search, 'from'),
      ...readText(search, 'to'),
    }),
    component: lazyRouteComponent(() => import('../posts/posts-page.tsx'), 'PostsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/best-times',
    validateSearch: (search: Record<string, unknown>) => ({
      ...readText(search, 'profile'),
      ...readText(search, 'from'),
      ...readText(search, 'to'),
    }),
    component: lazyRouteComponent(() => import('../best-times/best-times-page.tsx'), 'BestTimesPage'),
  }),
]);

export const router = createRouter({ routeTree: routes, defaultPreload: 'intent', defaultNotFoundComponent: NotFound });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
