import type { PresignRepository } from '@postshelf/domain';
import { endMaking, keepMedia } from './memory-media.ts';
import type { MemoryTables } from './memory-tables.ts';

export function memoryPresigned(tables: MemoryTables): PresignRepository {
  const { presigned, media } = tables;

  return {
    async add(uploads) {
      const kept = keepMedia(
        tables,
        uploads.map(({ item }) => item),
      );
      if (kept === 'kept') for (const { upload } of uploads) presigned.set(upload.id, { ticket: upload, lease: null });
      return kept;
    },

    find: async (id) => presigned.get(id)?.ticket ?? null,

    async claim(id, lease, now) {
      const found = presigned.get(id);
      if (!found) return false;
      const isOthers = found.lease !== null && found.lease.owner !== lease.owner && found.lease.until > now;
      if (!isOthers) presigned.set(id, { ...found, lease });
      return !isOthers;
    },

    holder: async (id) => presigned.get(id)?.lease?.owner ?? null,

    async release(id, owner) {
      const found = presigned.get(id);
      if (found?.lease?.owner === owner) presigned.set(id, { ...found, lease: null });
    },

    async finish(id, owner, decide) {
      const item = media.get(id);
      if (presigned.get(id)?.lease?.owner !== owner || item?.status !== 'temporary') return false;
      endMaking(tables, decide(item));
      presigned.delete(id);
      return true;
    },

    async expired(before, limit) {
      return Array.from(presigned.values(), ({ ticket }) => ticket)
        .filter(({ expiresAt }) => expiresAt < before)
        .sort((a, b) => a.expiresAt - b.expiresAt)
        .slice(0, limit)
        .map(({ id }) => id);
    },
  };
}
