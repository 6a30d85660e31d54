import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { LibrarySearch } from './library-search.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether an item was opened from the list behind it. That list is all media if the address has no folder. */
    isFromList?: boolean;
  }
}

/** The query of the list, without the page number. */
export interface MediaFilter extends Omit<LibrarySearch, 'folder'> {
  readonly workspace: string;
  readonly folder_id?: string;
  readonly sort: NonNullable<LibrarySearch['sort']>;
}

/** Sorted by creation, so that items keep their position when they are changed. */
const SORT = '-created_at';

/** The folder, search, filters and open item in the address. */
export function useMediaFilter() {
  const { id: workspace } = useWorkspace();
  const { folder, item } = useParams({ strict: false });
  const search = useSearch({ from: '/library' });
  const navigate = useNavigate();
  // While the item is being closed, the address is the list's already, and has no state.
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
    /** Whether an item was opened by an address without a folder or search; its own folder is shown behind it then. */
    isUnplaced: isAddressed && Object.keys(found).every((name) => name === 'workspace') && open === null,
    isFiltered: [search.search, search.type, search.status, search.tag].some((value) => value !== undefined),
    /** Changes the query; undefined removes a part. Replaces the history entry, as typing would add many. */
    look: (change: { readonly [Name in keyof LibrarySearch]?: LibrarySearch[Name] | undefined }) =>
      void navigate({
        to: '.',
        search: (was: LibrarySearch) => withoutUndefined({ ...was, ...change }),
        replace: true,
      }),
    open: (id: string) =>
      void navigate({
        to: '/media/$item',
        params: { item: id },
        search: (was: LibrarySearch) => withoutUndefined({ ...was, folder: open ?? undefined }),
        state: { isFromList: true },
      }),
    /** Shows a folder behind the open item. */
    placeIn: (behindItem: string) =>
      void navigate({
        to: '.',
        search: (was: LibrarySearch) => ({ ...was, folder: behindItem }),
        replace: true,
      }),
    close: () => void navigate({ ...address, search: ({ folder: _, ...was }: LibrarySearch) => was }),
  };
}

const withoutUndefined = <T extends object>(search: T) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;
