import { type ClaimRequest, type ImportJob, type ImportQueue, NO_TERMS, type Uuid } from '@postshelf/domain';
import { type Expression, type NotNull, sql } from 'kysely';
import { insertItems } from '../media/write-items.ts';
import { completeWithin } from '../repeats/complete.ts';
import { countOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { depthOf } from '../store/queue-turns.ts';
import type { Store } from '../store/store.ts';
import { type ImportRow, termsFromRow, termsToRow } from '../store/tables.ts';
import { finishPending } from '../uploads/finish-pending.ts';

/** A queue of rows in `imports`, one per importing item. Insert `processing` items only here, or they have no job. */
export function importQueue(store: Store): ImportQueue {
  return {
    add: (item, { url, attempts, terms = NO_TERMS, requestId }, start, completion) =>
      store.write(async (transaction) => {
        if ((await insertItems(transaction, [item])) === 'folder_missing') return 'folder_missing';
        await transaction
          .insertInto('imports')
          .values({
            media_id: item.id,
            workspace_id: item.workspaceId,
            url,
            attempts,
            claims: 'lease' in start ? 1 : 0,
            added_at: item.createdAt,
            request_id: requestId ?? null,
            ...importState(start),
            ...termsToRow(terms),
          })
          .execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    async claim(request) {
      await store.write((queries) => freeEndedLeases(queries, request.now));
      return store.write((transaction) => claimImports(transaction, store.dialect, request));
    },

    async renew(mediaIds, lease) {
      if (mediaIds.length === 0) return new Set();
      const rows = await store.write((queries) =>
        queries
          .updateTable('imports')
          .set({ lease_until: lease.until })
          .where('media_id', 'in', mediaIds)
          .where('lease_owner', '=', lease.owner)
          .returning('media_id')
          .execute(),
      );
      return new Set(rows.map((row) => row.media_id));
    },

    release: (mediaId, owner, { dueAt, ...counts }) =>
      store.write(async (queries) => {
        const { numUpdatedRows } = await queries
          .updateTable('imports')
          .set({ ...counts, ...importState({ dueAt }) })
          .where('media_id', '=', mediaId)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

    finish: (mediaId, owner, decide) =>
      store.write((transaction) =>
        finishPending(
          transaction,
          store.dialect,
          { table: 'imports', status: 'processing', id: mediaId, owner },
          decide,
        ),
      ),

    depth: () => depthOf(store, 'imports'),
  };
}

type ImportStart = Parameters<ImportQueue['add']>[2];

type ImportState = Pick<ImportRow, 'due_at' | 'lease_owner' | 'lease_until'>;

const importState = (start: ImportStart): ImportState =>
  'lease' in start
    ? { due_at: null, lease_owner: start.lease.owner, lease_until: start.lease.until }
    : { due_at: start.dueAt, lease_owner: null, lease_until: null };

const jobFromRow = (row: ImportRow): ImportJob => ({
  mediaId: row.media_id,
  workspaceId: row.workspace_id,
  url: row.url,
  attempts: row.attempts,
  claims: row.claims,
  terms: termsFromRow(row),
  ...(row.request_id !== null && { requestId: row.request_id }),
});

type DueRow = ImportRow & { readonly due_at: number };

/**
 * Claims jobs within a transaction. The cost grows with the workspaces that have waiting jobs, not with the jobs.
 *
 * Concurrent claims wait for each other only in the same workspace, whose leases they count. Locked jobs are skipped.
 */
async function claimImports(queries: Queries, dialect: Dialect, request: ClaimRequest): Promise<readonly ImportJob[]> {
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
async function freeEndedLeases(queries: Queries, now: number): Promise<void> {
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
