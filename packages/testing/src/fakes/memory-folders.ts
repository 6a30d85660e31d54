import {
  checkPlacement,
  type Folder,
  type FolderRefusal,
  type FolderRepository,
  folderNameKey,
  type Uuid,
} from '@postshelf/domain';
import { latestFirst, type MemoryTables, requireFree, requireWorkspace } from './memory-tables.ts';

export function memoryFolders(tables: MemoryTables): FolderRepository {
  const { folders, media } = tables;

  return {
    async insert(folder) {
      requireFree(folders, folder.id);
      requireWorkspace(tables, folder.workspaceId);
      const refusal = refuse(folders, folder, null);
      if (refusal === null) folders.set(folder.id, folder);
      return refusal;
    },

    find: async (id) => folders.get(id) ?? null,

    async list(workspaceId, { parentId }, { offset, limit }) {
      const items = [...folders.values()]
        .filter((folder) => folder.workspaceId === workspaceId)
        .filter((folder) => parentId === undefined || folder.parentId === parentId)
        .sort(latestFirst);
      return { items: items.slice(offset, offset + limit), total: items.length };
    },

    refuseParent: async (workspaceId, folder, parentId) => refuseParent(folders, workspaceId, parentId, folder),

    async update(id, change, now) {
      const folder = folders.get(id);
      if (!folder) return null;
      if (folder.isSystem) return 'system';
      const changed = { ...folder, ...change, updatedAt: now };
      const refusal = refuse(folders, changed, id);
      if (refusal === null) folders.set(id, changed);
      return refusal ?? changed;
    },

    async remove(id) {
      const folder = folders.get(id);
      if (!folder) return null;
      if (folder.isSystem) return 'system';
      const isInUse = childrenOf(folders, id).length > 0 || [...media.values()].some(({ folderId }) => folderId === id);
      if (isInUse) return 'not_empty';
      folders.delete(id);
      return 'removed';
    },
  };
}

type Folders = ReadonlyMap<Uuid, Folder>;

/** @param moving the id of a folder that is there already; null for a new one */
function refuse(folders: Folders, folder: Folder, moving: Uuid | null): FolderRefusal | null {
  const { id, parentId, workspaceId, name } = folder;
  const refusal = refuseParent(folders, workspaceId, parentId, moving);
  if (refusal !== null) return refusal;
  const hasTwin = [...folders.values()].some(
    (other) =>
      other.id !== id &&
      other.workspaceId === workspaceId &&
      other.parentId === parentId &&
      folderNameKey(other.name) === folderNameKey(name),
  );
  return hasTwin ? 'name_taken' : null;
}

function refuseParent(
  folders: Folders,
  workspaceId: Uuid,
  parentId: Uuid | null,
  moving: Uuid | null,
): FolderRefusal | null {
  if (parentId !== null && folders.get(parentId)?.workspaceId !== workspaceId) return 'parent_missing';
  const height = moving === null ? 1 : heightOf(folders, moving);
  return checkPlacement({ folder: moving, ancestors: ancestorsOf(folders, parentId), height });
}

const childrenOf = (folders: Folders, id: Uuid): Folder[] =>
  [...folders.values()].filter((folder) => folder.parentId === id);

function ancestorsOf(folders: Folders, id: Uuid | null): Uuid[] {
  return id === null ? [] : [id, ...ancestorsOf(folders, folders.get(id)?.parentId ?? null)];
}

const heightOf = (folders: Folders, id: Uuid): number =>
  1 + Math.max(0, ...childrenOf(folders, id).map((child) => heightOf(folders, child.id)));
