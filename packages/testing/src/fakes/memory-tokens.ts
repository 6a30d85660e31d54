import type { TokenRepository } from '@postshelf/domain';
import { type MemoryTables, oldestFirst, requireFree, requireWorkspace } from './memory-tables.ts';

export function memoryTokens(tables: MemoryTables): TokenRepository {
  const { tokens } = tables;
  return {
    async insert(token) {
      requireFree(tokens, token.id);
      for (const id of token.workspaceIds) requireWorkspace(tables, id);
      tokens.set(token.id, { ...token, workspaceIds: [...new Set(token.workspaceIds)] });
    },
    find: async (id) => tokens.get(id) ?? null,
    list: async () => [...tokens.values()].sort(oldestFirst),
    async revoke(id, at) {
      const token = tokens.get(id);
      if (!token) return false;
      tokens.set(id, { ...token, revokedAt: token.revokedAt ?? at });
      return true;
    },
    async touch(id, at) {
      const token = tokens.get(id);
      if (!token || (token.lastUsedAt !== null && token.lastUsedAt >= at)) return;
      tokens.set(id, { ...token, lastUsedAt: at });
    },
  };
}
