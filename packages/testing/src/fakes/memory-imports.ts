import type { ImportJob, ImportQueue, Lease, Uuid } from '@postshelf/domain';
import { endMaking, keepMedia } from './memory-media.ts';
import type { MemoryImport, MemoryTables } from './memory-tables.ts';

export function memoryImports(tables: MemoryTables): ImportQueue {
  const { imports, media } = tables;
  const heldBy = (owner: string, id: Uuid): MemoryImport | null => {
    const found = imports.get(id);
    return found && leaseOf(found)?.owner === owner ? found : null;
  };

  return {
    async add(item, { url, attempts }, start) {
      if (keepMedia(tables, [item]) === 'folder_missing') return 'folder_missing';
      const claims = 'lease' in start ? 1 : 0;
      const job: ImportJob = { mediaId: item.id, workspaceId: item.workspaceId, url, attempts, claims };
      imports.set(item.id, { job, addedAt: item.createdAt, state: start });
      return 'kept';
    },

    async claim({ now, lease, limit, perWorkspace }) {
      freeEnded(imports, now);
      const leased = leasesByWorkspace(imports);
      const claimed: ImportJob[] = [];
      for (const { job, addedAt } of longestDueFirst(imports, now)) {
        const count = leased.get(job.workspaceId) ?? 0;
        if (count >= perWorkspace) continue;
        if (claimed.length >= limit) break;
        const taken = { ...job, claims: job.claims + 1 };
        imports.set(job.mediaId, { job: taken, addedAt, state: { lease } });
        leased.set(job.workspaceId, count + 1);
        claimed.push(taken);
      }
      return claimed;
    },

    async renew(mediaIds, lease) {
      const held = new Set(mediaIds.filter((id) => heldBy(lease.owner, id)));
      for (const id of held) replace(imports, id, { state: { lease } });
      return held;
    },

    async release(mediaId, owner, { dueAt, attempts }) {
      const held = heldBy(owner, mediaId);
      if (held) replace(imports, mediaId, { job: { ...held.job, attempts }, state: { dueAt } });
      return held !== null;
    },

    async owners() {
      return [...new Set(Array.from(imports.values(), (found) => leaseOf(found)?.owner ?? []).flat())];
    },

    async releaseAll(owner, dueAt) {
      const held = [...imports].filter(([, found]) => leaseOf(found)?.owner === owner);
      for (const [id] of held) replace(imports, id, { state: { dueAt } });
      return held.length;
    },

    async finish(mediaId, owner, decide) {
      const item = media.get(mediaId);
      if (!heldBy(owner, mediaId) || item?.status !== 'processing') return false;
      endMaking(tables, decide(item));
      imports.delete(mediaId);
      return true;
    },

    async depth() {
      const times = Array.from(imports.values(), ({ addedAt }) => addedAt);
      return { jobs: times.length, oldest: times.length === 0 ? null : Math.min(...times) };
    },
  };
}

type Imports = MemoryTables['imports'];

const leaseOf = ({ state }: MemoryImport): Lease | null => ('lease' in state ? state.lease : null);

function replace(imports: Imports, id: Uuid, change: Partial<MemoryImport>): void {
  const found = imports.get(id);
  if (found) imports.set(id, { ...found, ...change });
}

/** Whoever claims next takes the ended leases away from their owners, so that a workspace never has too many. */
function freeEnded(imports: Imports, now: number): void {
  for (const [id, found] of imports) {
    const lease = leaseOf(found);
    if (lease && lease.until <= now) imports.set(id, { ...found, state: { dueAt: lease.until } });
  }
}

function leasesByWorkspace(imports: Imports): Map<Uuid, number> {
  const counts = new Map<Uuid, number>();
  for (const found of imports.values()) {
    const { workspaceId } = found.job;
    if (leaseOf(found)) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  }
  return counts;
}

/** The free jobs that are due. */
function longestDueFirst(imports: Imports, now: number): readonly MemoryImport[] {
  const due = Array.from(imports.values(), (found) => ({
    found,
    dueAt: 'dueAt' in found.state ? found.state.dueAt : null,
  }));
  return due
    .flatMap(({ found, dueAt }) => (dueAt !== null && dueAt <= now ? [{ found, dueAt }] : []))
    .sort((a, b) => a.dueAt - b.dueAt || (a.found.job.mediaId < b.found.job.mediaId ? -1 : 1))
    .map(({ found }) => found);
}
