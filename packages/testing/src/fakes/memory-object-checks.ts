import type { Lease, ObjectCheck, ObjectChecks } from '@postshelf/domain';
import type { MemoryTables } from './memory-tables.ts';

/** A check and who holds it. */
export interface MemoryObjectCheck {
  readonly check: ObjectCheck;
  readonly lease: Lease | null;
}

const NONE: MemoryObjectCheck = {
  check: { cursor: null, startedAt: null, checked: 0, missing: 0, finishedAt: null, lastChecked: 0, lastMissing: 0 },
  lease: null,
};

export function memoryObjectChecks({ objectChecks }: MemoryTables): ObjectChecks {
  const now = (): MemoryObjectCheck => objectChecks.get('only') ?? NONE;
  return {
    find: async () => now().check,
    async claim(lease, at) {
      const { lease: held, check } = now();
      if (held !== null && held.owner !== lease.owner && held.until > at) return null;
      objectChecks.set('only', { check, lease });
      return check;
    },
    async save(lease, check) {
      if (now().lease?.owner !== lease.owner) return false;
      objectChecks.set('only', { check, lease });
      return true;
    },
    async release(owner) {
      const { lease, check } = now();
      if (lease?.owner === owner) objectChecks.set('only', { check, lease: null });
    },
  };
}
