import { useLocation, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { LibrarySearch } from './library-search.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether an item was opened from the list behind it. If the URL has no folder, that list shows all media. */
    isFromList?: boolean;
    /** Whether the previous history entry is the list behind the open item, in its current state. */
    isAfterList?: boolean;
  }
}

/** The query of the list, without the page number. */
export interface MediaFilter extends Omit<LibrarySearch, 'folder'> {
  readonly workspace: string;
  readonly folder_id?: string;
  readonly sort: NonNullable<LibrarySearch['sort']>;
}

/** The list is sorted by creation time, so that items keep their position when they are changed. */
const SORT = '-created_at';

/** Returns the folder, search, filters and open item in the URL. */
export function useMediaFilter() {
  const { id: workspace } = useWorkspace();
  const { folder, item } = useParams({ strict: false });
  const search = useSearch({ from: '/library' });
  const navigate = useNavigate();
  const router = useRouter();
  // The state alone isn't enough: while the item is being closed, the URL already points to the list, whose history
  // entry has no state.
  const isAddressed = useLocation({
    select: ({ pathname, state }) => !state.isFromList && pathname.endsWith(`/media/${item}`),
  });
  const { folder: behind, ...found } = search;
  const open = folder ?? behind ?? null;
  const filter: MediaFilter = {
    workspace,
    ...found,
    ...(open !== null && { folder_id: open }),
    sort: found.sort ?? SORT,
  };
  const address = open === null ? { to: '/' as const } : { to: '/folders/$folder' as const, params: { folder: open } };
  return {
    filter,
    /** The open folder; null for all media. */
    folder: open,
    /** The open item. */
    item: item ?? null,
    /**
     * Whether an item was opened by a URL without a folder or search; if so, the item's own folder is shown behind it.
     */
    isUnplaced:
      isAddressed && open === null && Object.keys(withoutUndefined(found)).every((name) => name === 'workspace'),
    isFiltered: [search.search, search.type, search.status, search.tag].some((value) => value !== undefined),
    /**
     * Changes the query; undefined removes a parameter. The history entry is replaced, because typing a search would
     * otherwise add an entry for each change.
     */
    changeQuery: (change: { readonly [Name in keyof LibrarySearch]?: LibrarySearch[Name] | undefined }) =>
      void navigate({
        to: '.',
        search: (was: LibrarySearch) => withoutUndefined({ ...was, ...change }),
        replace: true,
      }),
    /**
     * Opens an item. If another item is open, its history entry is replaced, so that the browser's Back button always
     * leads to a list.
     */
    open: (id: string) => {
      // The current page is read here, because the link in a notice may be clicked on a page other than the library.
      const isItem = router.matchRoute({ to: '/media/$item' }) !== false;
      const isList = [{ to: '/' } as const, { to: '/folders/$folder' } as const].some((to) => router.matchRoute(to));
      void navigate({
        to: '/media/$item',
        params: { item: id },
        search: (was: LibrarySearch) => withoutUndefined({ ...was, folder: open ?? undefined }),
        replace: isItem,
        state: { isFromList: true, isAfterList: isItem ? router.state.location.state.isAfterList === true : isList },
      });
    },
    /** Shows a folder behind the open item. */
    placeIn: (behindItem: string) =>
      void navigate({
        to: '.',
        search: (was: LibrarySearch) => ({ ...was, folder: behindItem }),
        replace: true,
      }),
    /**
     * Closes the item. Goes back from its history entry, or replaces the entry, so that the Back button doesn't open
     * the item again.
     */
    close: () => {
      if (router.state.location.state.isAfterList) stepBack();
      else void navigate({ ...address, search: ({ folder: _, ...was }: LibrarySearch) => was, replace: true });
    },
  };
}

let isStepping = false;

/** Goes back once. Browsers go back asynchronously, so a second call in the meantime would leave the list as well. */
function stepBack(): void {
  if (isStepping) return;
  isStepping = true;
  addEventListener('popstate', () => (isStepping = false), { once: true });
  history.back();
}

const withoutUndefined = <T extends object>(search: T) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;
