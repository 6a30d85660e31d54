import { expect, test } from 'bun:test';
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { readSearch } from '../../src/address/read-search.ts';
import { readLibrarySearch } from '../../src/media/library-search.ts';
import { readPostsSearch } from '../../src/posts/filter-search.ts';

/** Returns the search parameters that a page with this reader sees at a URL. */
function seenAt(url: string, read: (search: Readonly<Record<string, unknown>>) => object): unknown {
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: '/', validateSearch: readSearch(read) });
  const history = createMemoryHistory({ initialEntries: [url] });
  const router = createRouter({ routeTree: root.addChildren([page]), history });
  return router.matchRoutes(router.latestLocation).at(-1)?.search;
}

test('a page sees no empty or unknown values of search parameters', () => {
  const empty = '/?folder=&search=&tag=&type=audio&sort=random&workspace=w1';
  expect(seenAt(empty, readLibrarySearch)).toEqual({ workspace: 'w1' });
  expect(seenAt('/?folder=f1&type=image', readLibrarySearch)).toEqual({ folder: 'f1', type: 'image' });
  expect(seenAt('/?week=soon&page=x&from=', readPostsSearch)).toEqual({});
});
