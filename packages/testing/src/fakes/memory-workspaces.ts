import { folderNameKey, type WorkspaceRepository } from '@postshelf/domain';
import { type MemoryTables, oldestFirst, requireFree } from './memory-tables.ts';

export function memoryWorkspaces(tables: MemoryTables): WorkspaceRepository {
  return {
    async insert(workspace, systemFolders) {
      requireFree(tables.workspaces, workspace.id);
      for (const folder of systemFolders) requireFree(tables.folders, folder.id);
      const names = new Set(systemFolders.map((folder) => folderNameKey(folder.name)));
      if (names.size < systemFolders.length) throw new Error('Two system folders have the same name');
      tables.workspaces.set(workspace.id, workspace);
      for (const folder of systemFolders) tables.folders.set(folder.id, folder);
    },
    find: async (id) => tables.workspaces.get(id) ?? null,
    list: async () => [...tables.workspaces.values()].sort(oldestFirst),
  };
}
