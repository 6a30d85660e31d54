import { folderNameKey, isCover, type MediaItem, type Uuid, type WorkspaceRepository } from '@postshelf/domain';
import { type MemoryTables, oldestFirst, requireFree } from './memory-tables.ts';

export function memoryWorkspaces(tables: MemoryTables): WorkspaceRepository {
  function removeItems(ids: readonly Uuid[]) {
    const isGone = (item: MediaItem): boolean =>
      ids.includes(item.id) || (item.status === 'active' && item.coverOf !== null && ids.includes(item.coverOf));
    const gone = [...tables.media.values()].filter(isGone);
    for (const { id } of gone) for (const table of [tables.media, tables.imports, tables.presigned]) table.delete(id);
    const uploads = gone.filter((item) => item.status === 'temporary').map((item) => item.id);
    return { fullNames: gone.map((item) => item.fullName), uploads };
  }

  return {
    async insert(workspace, systemFolders) {
      requireFree(tables.workspaces, workspace.id);
      for (const folder of systemFolders) requireFree(tables.folders, folder.id);
      const names = new Set(systemFolders.map((folder) => folderNameKey(folder.name)));
      if (names.size < systemFolders.length) throw new Error('Two system folders have the same name');
      tables.workspaces.set(workspace.id, workspace);
      for (const folder of systemFolders) tables.folders.set(folder.id, folder);
    },
    find: async (id) => (tables.removing.has(id) ? null : (tables.workspaces.get(id) ?? null)),
    list: async () => [...tables.workspaces.values()].filter(({ id }) => !tables.removing.has(id)).sort(oldestFirst),
    async update(id, change) {
      const workspace = tables.workspaces.get(id);
      if (!workspace || tables.removing.has(id)) return null;
      const changed = { ...workspace, ...change };
      tables.workspaces.set(id, changed);
      return changed;
    },
    async contents(id) {
      const media = within(tables.media, id);
      const sizes = media.map((item) => (item.status === 'active' ? item.content.size : 0));
      return {
        media: media.filter((item) => !isCover(item)).length,
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        folders: within(tables.folders, id).length,
        profiles: within(tables.profiles, id).length,
        posts: within(tables.posts, id).length,
        tokens: [...tables.tokens.values()].filter((token) => token.workspaceIds.includes(id)).length,
      };
    },
    async beginRemoval(id) {
      if (!tables.workspaces.has(id) || tables.removing.has(id)) return false;
      tables.removing.add(id);
      for (const token of tables.tokens.values()) {
        tables.tokens.set(token.id, { ...token, workspaceIds: token.workspaceIds.filter((other) => other !== id) });
      }
      return true;
    },
    pendingRemovals: async () => [...tables.removing],
    async removeBatch(id, limit) {
      if (!tables.removing.has(id)) return null;
      const posts = within(tables.posts, id).slice(0, limit);
      for (const post of posts) tables.posts.delete(post.id);
      if (posts.length > 0) return { fullNames: [], uploads: [] };
      const items = within(tables.media, id)
        .filter((item) => !isCover(item))
        .slice(0, limit);
      if (items.length > 0) return removeItems(items.map((item) => item.id));
      for (const table of [tables.folders, tables.profiles]) {
        for (const each of within<{ id: Uuid; workspaceId: Uuid }>(table, id)) table.delete(each.id);
      }
      tables.workspaces.delete(id);
      tables.removing.delete(id);
      return null;
    },
  };
}

const within = <Row extends { readonly workspaceId: Uuid }>(table: ReadonlyMap<Uuid, Row>, id: Uuid): readonly Row[] =>
  [...table.values()].filter((row) => row.workspaceId === id);
