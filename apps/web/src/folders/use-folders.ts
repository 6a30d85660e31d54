import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useStableList } from '@postshelf/browser/ui/use-stable-list.ts';
import { PostshelfError } from '@postshelf/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { FRESH_UNTIL_INVALIDATED } from '../service/live.ts';
import { readAll } from '../service/read-all.ts';
import { client, trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { type Folder, FolderRows, sortFolders } from './folder-rows.ts';
import { type FolderTotal, sumTotals } from './folder-totals.ts';

/** Maximum number of shown subfolders of a folder. If there are more, the most recently changed ones are shown. */
const MAX_SIBLINGS = 2000;

/**
 * Returns a query key that begins with the key of the folder lists, so that refreshing the lists refreshes this query.
 */
const keyOf = (name: string, input: object) => [...trpc.folders.list.pathKey(), name, input];

const folderQuery = (id: string | null) => ({
  ...trpc.folders.get.queryOptions({ folder: id ?? '' }),
  ...FRESH_UNTIL_INVALIDATED,
  enabled: id !== null,
});

/** Returns a folder by its id; undefined until it is read, or if the id is null. */
export const useFolder = (id: string | null) => useQuery(folderQuery(id)).data?.data;

/** Whether there is no folder with this id, for example because somebody has deleted it. */
export const useIsFolderGone = (id: string | null): boolean => isMissing(useQuery(folderQuery(id)).error);

/** Returns the folder's ancestors, the outermost first, followed by the folder itself. */
export function useFolderPath(id: string | null) {
  const found = useQuery({
    queryKey: keyOf('path', { id }),
    ...FRESH_UNTIL_INVALIDATED,
    enabled: id !== null,
    async queryFn({ signal }) {
      const path: { readonly id: string; readonly name: string }[] = [];
      for (let next = id; next !== null; ) {
        const { data } = await client.trpc.folders.get.query({ folder: next }, { signal });
        path.unshift({ id: data.id, name: data.name });
        next = data.parent_id;
      }
      return path;
    },
  });
  return found.data;
}

interface Siblings {
  readonly folders: readonly Folder[];
  /** The number of folders in the parent, including those that aren't shown. */
  readonly total: number;
}

async function readChildren(workspace: string, parent: string | null, signal: AbortSignal): Promise<Siblings> {
  const input = { workspace, parent_id: parent ?? 'root', include: 'counts' as const };
  const { rows, total } = await readAll(client.trpc.folders.list, input, { signal, max: MAX_SIBLINGS });
  return { folders: sortFolders(rows), total };
}

const childrenQuery = (workspace: string, parent: string | null) => ({
  queryKey: keyOf('children', { workspace, parent }),
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readChildren(workspace, parent, signal),
  ...FRESH_UNTIL_INVALIDATED,
});

/** Maximum number of folders from which users can choose one by name. */
const MAX_FOLDERS = 5000;

/** Returns a folder's subfolders (null: the root's), sorted by name; undefined until the subfolders are read. */
export function useSubfolders(parent: string | null): readonly Folder[] | undefined {
  const { id: workspace } = useWorkspace();
  return useQuery(childrenQuery(workspace, parent)).data?.folders;
}

/** Returns all folders of the workspace, at any level. */
export function useAllFolders(): readonly Folder[] {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: keyOf('all', { workspace }),
    ...FRESH_UNTIL_INVALIDATED,
    async queryFn({ signal }) {
      const { rows } = await readAll(client.trpc.folders.list, { workspace }, { signal, max: MAX_FOLDERS });
      return sortFolders(rows);
    },
  });
  return data ?? [];
}

/**
 * Maximum number of folders whose counts are summed. If there are more, each folder shows only its own count, because
 * reading all folders after each change would take too long.
 */
const MAX_SUMMED = 500;

/**
 * Returns the media count of each folder including its descendants, by folder id. The map is empty until the folders
 * are read.
 */
export function useFolderTotals(): ReadonlyMap<string, FolderTotal> {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: keyOf('totals', { workspace }),
    ...FRESH_UNTIL_INVALIDATED,
    async queryFn({ signal }) {
      const found: Folder[] = [];
      const input = { workspace, per_page: 100, include: 'counts' as const };
      for await (const { data, meta } of client.pages(client.trpc.folders.list, input, { signal })) {
        if (meta.total > MAX_SUMMED) return [];
        found.push(...data);
      }
      return [...sumTotals(found)];
    },
  });
  return useMemo(() => new Map(data ?? []), [data]);
}

/** Whether the folder whose subfolders were requested doesn't exist. */
const isMissing = (error: unknown): boolean =>
  error instanceof PostshelfError && (error.status === 404 || error.errors.parent_id !== undefined);

/** Returns the rows of the tree. The subfolders of collapsed folders aren't read. */
export function useFolderRows(expanded: ReadonlySet<string>, allName?: string) {
  const { id: workspace } = useWorkspace();
  const parents = [null, ...expanded];
  const results = useQueries({
    queries: parents.map((parent) => childrenQuery(workspace, parent)),
  });
  const answers = useStableList([expanded, ...results.map(({ data }) => data)]);
  const rows = useMemo(() => {
    const [, ...lists] = answers as [unknown, ...(Siblings | undefined)[]];
    return new FolderRows((parent) => lists[[null, ...expanded].indexOf(parent)]?.folders, expanded, allName);
  }, [answers, expanded, allName]);
  const gone = useStableList([...expanded].filter((_, nth) => isMissing(results[nth + 1]?.error)));
  const top = results[0];
  const cut = results.find(({ data }) => data && data.total > MAX_SIBLINGS)?.data?.total;
  const note =
    cut && `Showing the ${formatNumber(MAX_SIBLINGS)} most recently changed of ${formatNumber(cut)} folders.`;
  return {
    rows,
    note,
    /** The expanded folders that no longer exist. */
    gone,
    error: top?.data === undefined ? (top?.error ?? null) : null,
    retry: () => void top?.refetch(),
  };
}
