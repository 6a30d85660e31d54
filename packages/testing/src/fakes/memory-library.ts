import type { Library, LibraryRepository } from '@postshelf/domain';
import type { MemoryTables } from './memory-tables.ts';

export function memoryLibrary({ library, workspaces }: MemoryTables): LibraryRepository {
  const change = (details: Partial<Library>): Library => {
    const before = library.get('only');
    if (!before) throw new Error('There is no library');
    const after = { ...before, ...details };
    library.set('only', after);
    return after;
  };
  return {
    find: async () => library.get('only') ?? null,
    async findOrCreate(id, now) {
      const kept = library.get('only');
      if (kept) return kept;
      const createdAt = Math.min(now, ...[...workspaces.values()].map(({ createdAt }) => createdAt));
      const nothing = { restoredAt: null, storageMarkedAt: null, secretFingerprint: null };
      const made: Library = { id, createdAt, generation: 0, ...nothing };
      library.set('only', made);
      return made;
    },
    update: async (details) => change(details),
    async advanceGeneration(atLeast) {
      const { generation } = change({});
      return change({ generation: Math.max(generation, atLeast) + 1 }).generation;
    },
    async claimSecret(fingerprint) {
      const kept = change({}).secretFingerprint;
      return kept ?? change({ secretFingerprint: fingerprint }).secretFingerprint ?? fingerprint;
    },
  };
}
