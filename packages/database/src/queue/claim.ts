import type { ClaimRequest, ImportJob, Uuid } from '@postshelf/domain';
import type { NotNull } from 'kysely';
import type { Queries } from '../repositories/store.ts';
import type { ImportRow } from '../repositories/tables.ts';
import { importState, jobFromRow } from './import-rows.ts';

type DueRow = ImportRow & { readonly due_at: number };

/**
 * Takes jobs within a transaction. What it reads grows with the workspaces that have jobs waiting, never with the jobs
 * that one workspace has, so nobody makes it slow for the others by the length of their queue.
 */
export async function claimImports(queries: Queries, request: ClaimRequest): Promise<readonly ImportJob[]> {
  const { now, lease, limit } = request;
  await freeEnded(queries, now);
  const due: DueRow[] = [];
  for (const { workspaceId, room } of await workspacesWithRoom(queries, request)) {
    due.push(...(await longestDue(queries, workspaceId, now, Math.min(room, limit))));
  }
  const rows = due.sort(byDueTime).slice(0, limit);
  const ids = rows.map((row) => row.media_id);
  if (ids.length === 0) return [];
  await queries
    .updateTable('imports')
    .set((eb) => ({ claims: eb('claims', '+', 1), ...importState({ lease }) }))
    .where('media_id', 'in', ids)
    .execute();
  return rows.map((row) => ({ ...jobFromRow(row), claims: row.claims + 1 }));
}

/**
 * Makes jobs free whose lease has ended, due since then. Their owners lose them here for good, also those that aren't
 * claimed now: one that wakes up late would otherwise renew, and its workspace have more leases than it may.
 */
async function freeEnded(queries: Queries, now: number): Promise<void> {
  await queries
    .updateTable('imports')
    .set((eb) => ({ due_at: eb.ref('lease_until'), lease_owner: null, lease_until: null }))
    .where('lease_until', '<=', now)
    .execute();
}

/**
 * Workspaces that have a job due and may have more under lease, and how many more; the longest due first, and no more
 * of them than can have one among the `limit` longest due.
 */
async function workspacesWithRoom(
  queries: Queries,
  { now, limit, perWorkspace }: ClaimRequest,
): Promise<readonly { workspaceId: Uuid; room: number }[]> {
  const rows = await queries
    // One step of the index per workspace, where `distinct` would walk over every job.
    .withRecursive('waiting(workspace_id)', (cte) =>
      cte
        .selectFrom('imports')
        .select((eb) => eb.fn.min<Uuid | null>('workspace_id').as('workspace_id'))
        .where('due_at', 'is not', null)
        .unionAll((eb) =>
          eb
            .selectFrom('waiting')
            .where('waiting.workspace_id', 'is not', null)
            .select((next) =>
              next
                .selectFrom('imports')
                .select((min) => min.fn.min<Uuid | null>('imports.workspace_id').as('workspace_id'))
                .where('due_at', 'is not', null)
                .whereRef('imports.workspace_id', '>', 'waiting.workspace_id')
                .as('workspace_id'),
            ),
        ),
    )
    .with('workspaces_due', (cte) =>
      cte.selectFrom('waiting').select((eb) => [
        'workspace_id',
        eb
          .selectFrom('imports')
          .select((head) => head.fn.min('due_at').as('due_at'))
          .whereRef('imports.workspace_id', '=', 'waiting.workspace_id')
          .where('due_at', 'is not', null)
          .as('due_at'),
        eb
          .selectFrom('imports')
          .select((count) => count.fn.countAll().as('leases'))
          .whereRef('imports.workspace_id', '=', 'waiting.workspace_id')
          .where('lease_owner', 'is not', null)
          .as('leases'),
      ]),
    )
    .selectFrom('workspaces_due')
    .select(['workspace_id', 'leases'])
    .where('due_at', '<=', now)
    .where('leases', '<', perWorkspace)
    .$narrowType<{ workspace_id: NotNull }>()
    .orderBy('due_at')
    .orderBy('workspace_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ workspaceId: row.workspace_id, room: perWorkspace - Number(row.leases) }));
}

const longestDue = (queries: Queries, workspaceId: Uuid, now: number, limit: number): Promise<DueRow[]> =>
  queries
    .selectFrom('imports')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('media_id')
    .limit(limit)
    .$narrowType<{ due_at: NotNull }>()
    .execute();

function byDueTime(a: DueRow, b: DueRow): number {
  return a.due_at - b.due_at || (a.media_id < b.media_id ? -1 : 1);
}
