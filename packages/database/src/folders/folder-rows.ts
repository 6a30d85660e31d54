import { type Folder, folderNameKey } from '@postshelf/domain';
import type { FolderRow } from '../store/tables.ts';

export const folderFromRow = (row: Omit<FolderRow, 'name_key'>): Folder => ({
  id: row.id,
  workspaceId: row.workspace_id,
  parentId: row.parent_id,
  name: row.name,
  isSystem: row.is_system === 1,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const folderToRow = (folder: Folder): FolderRow => ({
  id: folder.id,
  workspace_id: folder.workspaceId,
  parent_id: folder.parentId,
  name: folder.name,
  name_key: folderNameKey(folder.name),
  is_system: folder.isSystem ? 1 : 0,
  version: folder.version,
  created_at: folder.createdAt,
  updated_at: folder.updatedAt,
});
