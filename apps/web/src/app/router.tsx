import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readSearch, readText } from '../address/read-search.ts';
import { readLibrarySearch } from '../media/library-search.ts';
import { readBestTimesSearch, readPostsSearch } from '../posts/filter-search.ts';
import { root as base } from '../service/root.ts';
import { SessionGate, useMe } from '../sessions/session-gate.tsx';
import { SignOut } from '../sessions/sign-out.tsx';
import { Button } from '../ui/button.tsx';
import { lazyPage } from '../ui/lazy-part.tsx';
import { Page } from '../ui/page.tsx';
import { Frame } from './frame.tsx';

/** Matches browsers' error messages for a script that no longer exists, for example after an upgrade. */
const GONE = /dynamically imported module|importing a module script failed|unable to preload/i;

/** The message in place of a page that failed to load or render. The frame around the page remains visible. */
function PageError({ error }: { readonly error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  const isGone = GONE.test(message);
  return (
    <Page title={isGone ? 'This page couldn’t be loaded' : 'This page can’t be shown'}>
      <div className="page-failure">
        <p role="alert">
          {isGone ? 'Can’t reach the server, or the page has been updated. Reload to try again.' : message}
        </p>
        <Button variant="primary" onPress={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Page>
  );
}

const NotFound = () => (
  <Page title="Not found">
    <p>
      There’s nothing at this address. <Link to="/">Go to the library</Link>
    </p>
  </Page>
);

/** Shows its children if the session has a workspace. People who were removed from their last one may sign out. */
function WorkspaceGate({ children }: { readonly children: ReactNode }) {
  if (useMe().workspaces.length > 0) return children;
  return (
    <main className="frame-page">
      <p role="alert">You no longer have access to any workspace. Ask a manager for a new invitation.</p>
      <SignOut />
    </main>
  );
}

const root = createRootRoute({
  // The shown workspace. If the parameter is absent, the session's first workspace is shown.
  validateSearch: (search: Record<string, unknown>) => ({ ...readText(search, 'workspace') }),
  component: () => (
    <SessionGate>
      <WorkspaceGate>
        <Frame />
      </WorkspaceGate>
    </SessionGate>
  ),
  notFoundComponent: NotFound,
});

/** The parent route of folders and items, so that the library stays mounted when they are opened and closed. */
const library = createRoute({
  getParentRoute: () => root,
  id: 'library',
  validateSearch: readSearch(readLibrarySearch),
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
    validateSearch: readSearch(readPostsSearch),
    component: lazyPage(async () => (await import('../posts/posts-page.tsx')).PostsPage),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/best-times',
    validateSearch: readSearch(readBestTimesSearch),
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
