import type { ClaimRequest, ImportJob, Uuid } from '@postshelf/domain';
import { type Expression, type NotNull, sql } from 'kysely';
import { countOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { ImportRow } from '../store/tables.ts';
import { importState, jobFromRow } from './import-rows.ts';

type DueRow = ImportRow & { readonly due_at: number };

/**
 * Claims jobs within a transaction. The cost grows with the workspaces that have waiting jobs, not with the jobs.
 *
 * Concurrent claims wait for each other only in the same workspace, whose leases they count. Locked jobs are skipped.
 */
export async function claimImports(
  queries: Queries,
  dialect: Dialect,
  request: ClaimRequest,
): Promise<readonly ImportJob[]> {
  const { now, lease, limit, perWorkspace, admits = () => true } = request;
  const workspaceIds = await workspacesWithRoom(queries, dialect, request);
  await dialect.lock(queries, 'imports', workspaceIds);
  const due: DueRow[] = [];
  for (const workspaceId of workspaceIds) {
    const room = perWorkspace - (await leasesOf(queries, workspaceId));
    if (room > 0) due.push(...(await longestDue(queries, workspaceId, now, Math.min(room, limit))));
  }
  const rows: DueRow[] = [];
  for (const row of due.sort(byDueTime)) {
    if (rows.length < limit && admits({ mediaId: row.media_id, workspaceId: row.workspace_id })) rows.push(row);
  }
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
 * Frees jobs whose lease has expired. Otherwise a late owner could renew it, and the workspace would exceed its limit.
 *
 * In a transaction of its own, before the one that claims: PostgreSQL checks the foreign key of a row that is changed
 * twice, and would wait for a transaction that removes the item, which waits for the job.
 */
export async function freeEndedLeases(queries: Queries, now: number): Promise<void> {
  await queries
    .updateTable('imports')
    .set((eb) => ({ due_at: eb.ref('lease_until'), lease_owner: null, lease_until: null }))
    .where('media_id', 'in', (eb) =>
      eb.selectFrom('imports').select('media_id').where('lease_until', '<=', now).forUpdate().skipLocked(),
    )
    .execute();
}

/** Workspaces with a due job and fewer leases than allowed, the longest due first. */
async function workspacesWithRoom(
  queries: Queries,
  { noId }: Dialect,
  { now, limit, perWorkspace, without = [] }: ClaimRequest,
): Promise<readonly Uuid[]> {
  const rows = await queries
    // One lookup per workspace, whereas `distinct` would read every job.
    .withRecursive('waiting(workspace_id)', (cte) =>
      cte.selectNoFrom(waitingAfter(queries, noId).as('workspace_id')).unionAll((eb) =>
        eb
          .selectFrom('waiting')
          .where('waiting.workspace_id', 'is not', null)
          .select(waitingAfter(queries, sql.ref<Uuid>('waiting.workspace_id')).as('workspace_id')),
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
    .select('workspace_id')
    .where('due_at', '<=', now)
    .where('leases', '<', perWorkspace)
    .$if(without.length > 0, (query) => query.where('workspace_id', 'not in', without))
    .$narrowType<{ workspace_id: NotNull }>()
    .orderBy('due_at')
    .orderBy('workspace_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.workspace_id);
}

/** By id. */
const waitingAfter = (queries: Queries, workspaceId: Uuid | Expression<Uuid>) =>
  queries
    .selectFrom('imports')
    .select('workspace_id')
    .where('due_at', 'is not', null)
    .where('workspace_id', '>', workspaceId)
    .orderBy('workspace_id')
    .limit(1);

const leasesOf = (queries: Queries, workspaceId: Uuid): Promise<number> =>
  countOf(queries.selectFrom('imports').where('workspace_id', '=', workspaceId).where('lease_owner', 'is not', null));

const longestDue = (queries: Queries, workspaceId: Uuid, now: number, limit: number): Promise<DueRow[]> =>
  queries
    .selectFrom('imports')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('media_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .$narrowType<{ due_at: NotNull }>()
    .execute();

function byDueTime(a: DueRow, b: DueRow): number {
  return a.due_at - b.due_at || (a.media_id < b.media_id ? -1 : 1);
}
