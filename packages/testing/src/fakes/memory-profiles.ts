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
    async update(id, change, now) {
      const profile = profiles.get(id);
      if (!profile) return null;
      const changed = { ...profile, ...change, updatedAt: now };
      profiles.set(id, changed);
      return changed;
    },
    async remove(id) {
      if (!profiles.has(id)) return null;
      if ([...tables.posts.values()].some((post) => post.profileId === id)) return 'in_use';
      profiles.delete(id);
      return 'removed';
    },
  };
}
