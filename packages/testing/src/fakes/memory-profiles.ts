import type { ProfileRepository } from '@postshelf/domain';
import { latestFirst, type MemoryTables, requireFree, requireWorkspace } from './memory-tables.ts';

export function memoryProfiles(tables: MemoryTables): ProfileRepository {
  const { profiles } = tables;
  return {
    async insert(profile) {
      requireFree(profiles, profile.id);
      requireWorkspace(tables, profile.workspaceId);
      profiles.set(profile.id, profile);
    },
    find: async (id) => profiles.get(id) ?? null,
    findMany: async (ids) => [...new Set(ids)].flatMap((id) => profiles.get(id) ?? []),
    async list(workspaceId, { offset, limit }) {
      const items = [...profiles.values()].filter((profile) => profile.workspaceId === workspaceId).sort(latestFirst);
      return { items: items.slice(offset, offset + limit), total: items.length };
    },
  };
}
