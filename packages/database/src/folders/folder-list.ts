import type { Folder, FolderFilter, Rows, Slice, Uuid } from '@postshelf/domain';
import { FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { readNewestFirst } from '../store/paging.ts';
import type { Scan, Store } from '../store/store.ts';
import { folderFromRow } from './folder-rows.ts';

/** Lists folders; the exact total comes from the stored counts. */
export const listFolders: Scan<[Uuid, FolderFilter, Slice], Rows<Folder>> = {
  name: 'listFolders',
  run: ({ read, dialect }, workspaceId, filter, slice) =>
    read(async (queries) => {
      const total = await sumOf(storedCounts(queries, dialect, workspaceId, filter), 'folders');
      return readPage(filterFolders(queries, dialect, workspaceId, filter), slice, total);
    }),
};

/** Lists folders without a scan; returns null if that could read too many rows. */
export async function listFewFolders(
  { read, dialect }: Pick<Store, 'read' | 'dialect'>,
  workspaceId: Uuid,
  filter: FolderFilter,
  slice: Slice,
): Promise<Rows<Folder> | null> {
  if (slice.offset > FEW_ROWS) return null;
  return read(async (queries) => {
    const total = await sumOfFew(queries, storedCounts(queries, dialect, workspaceId, filter), 'folders');
    return total === null ? null : readPage(filterFolders(queries, dialect, workspaceId, filter), slice, total);
  });
}

function storedCounts(queries: Queries, { noId }: Dialect, workspaceId: Uuid, { parentId }: FolderFilter) {
  const counts = queries.selectFrom('folder_counts').where('workspace_id', '=', workspaceId);
  return parentId === undefined ? counts : counts.where('parent_id', '=', parentId ?? noId);
}

function filterFolders(queries: Queries, { whileWanted }: Dialect, workspaceId: Uuid, { parentId }: FolderFilter) {
  let folders = queries.selectFrom('folders').where('workspace_id', '=', workspaceId);
  if (parentId !== undefined) folders = folders.where('parent_id', parentId === null ? 'is' : '=', parentId);
  return whileWanted === undefined ? folders : folders.where(whileWanted);
}

async function readPage(folders: ReturnType<typeof filterFolders>, slice: Slice, total: number): Promise<Rows<Folder>> {
  const rows = await readNewestFirst(folders.selectAll(), 'updated_at', slice, total);
  return { items: rows.map(folderFromRow), total };
}
