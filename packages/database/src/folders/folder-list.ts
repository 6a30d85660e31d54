import type { Folder, FolderFilter, Rows, Slice, Uuid } from '@postshelf/domain';
import { countOf, countOfFew, FEW_ROWS } from '../store/count.ts';
import { pageFromNearerEnd } from '../store/paging.ts';
import type { Dialect, Queries, Scan, Store } from '../store/store.ts';
import { folderFromRow } from './folder-rows.ts';

/** A page of a list and its exact total, which is counted. */
export const listFolders: Scan<[Uuid, FolderFilter, Slice], Rows<Folder>> = {
  name: 'listFolders',
  run: ({ snapshot, dialect }, workspaceId, filter, slice) =>
    snapshot(async (queries) => {
      const folders = filterFolders(queries, dialect, workspaceId, filter);
      return readPage(folders, slice, await countOf(folders));
    }),
};

/** The same beside other work, where it is sure not to take long; null where it isn't. */
export async function listFewFolders(
  { snapshot, dialect }: Pick<Store, 'snapshot' | 'dialect'>,
  workspaceId: Uuid,
  filter: FolderFilter,
  slice: Slice,
): Promise<Rows<Folder> | null> {
  return snapshot(async (queries) => {
    const folders = filterFolders(queries, dialect, workspaceId, filter);
    const total = slice.offset > FEW_ROWS ? null : await countOfFew(queries, folders);
    return total === null ? null : readPage(folders, slice, total);
  });
}

function filterFolders(queries: Queries, { whileWanted }: Dialect, workspaceId: Uuid, { parentId }: FolderFilter) {
  let folders = queries.selectFrom('folders').where('workspace_id', '=', workspaceId);
  if (parentId !== undefined) folders = folders.where('parent_id', parentId === null ? 'is' : '=', parentId);
  return whileWanted === undefined ? folders : folders.where(whileWanted);
}

async function readPage(folders: ReturnType<typeof filterFolders>, slice: Slice, total: number): Promise<Rows<Folder>> {
  if (slice.offset >= total) return { items: [], total };
  const { direction, offset, limit } = pageFromNearerEnd(slice, total);
  const rows = await folders
    .selectAll()
    .orderBy('updated_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  return { items: (direction === 'asc' ? rows.reverse() : rows).map(folderFromRow), total };
}
