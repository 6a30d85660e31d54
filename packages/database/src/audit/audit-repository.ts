import type { AuditEntry, AuditFilter, AuditRepository, Rows, Slice } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { pageNewestFirst } from '../store/paging.ts';
import type { Scan, Store } from '../store/store.ts';
import type { AuditRow } from '../store/tables.ts';

type Last = Parameters<AuditRepository['listBehind']>[1];

/** Lists a page of entries, and counts all matching entries. */
export const listAudit: Scan<[AuditFilter, Slice], Rows<AuditEntry>> = {
  name: 'listAudit',
  run: ({ read, dialect }, filter, slice) =>
    read(async (queries) => {
      const entries = entriesOf(queries, filter, dialect);
      return pageNewestFirst(entries.selectAll(), 'at', slice, fromRow);
    }),
};

/**
 * Lists the entries that follow a given one. This is a scan, because it reads almost all of a workspace's entries if
 * only a few match, for example those of one token.
 */
export const listAuditBehind: Scan<[AuditFilter, Last, number], readonly AuditEntry[]> = {
  name: 'listAuditBehind',
  run: ({ read, dialect }, filter, last, limit) =>
    read(async (queries) => {
      const entries = entriesOf(queries, filter, dialect).selectAll().orderBy('at', 'desc').orderBy('id', 'desc');
      const behind =
        last === null
          ? entries
          : entries.where('at', '<=', last.at).where((eb) => eb.or([eb('at', '<', last.at), eb('id', '<', last.id)]));
      return (await behind.limit(limit).execute()).map(fromRow);
    }),
};

export function auditRepository(store: Store): AuditRepository {
  // Operators read the audit log, so its scans don't use any workspace's share of the scan slots.
  const callerOf = (signal: AbortSignal | undefined) => ({ workspaceId: store.dialect.noId, signal });
  return {
    record: (entries) =>
      store.write(async (transaction) => {
        if (entries.length === 0) return;
        await transaction
          .insertInto('audit')
          .values(entries.map(auditToRow))
          .onConflict((on) => on.column('id').doNothing())
          .execute();
      }),

    list: (filter, slice, signal) => store.scan(listAudit, callerOf(signal), filter, slice),

    listBehind: (filter, last, limit, signal) => store.scan(listAuditBehind, callerOf(signal), filter, last, limit),

    prune: (before, limit) =>
      store.write(async (transaction) => {
        const old = transaction.selectFrom('audit').select('id').where('at', '<', before).orderBy('at').limit(limit);
        const { numDeletedRows } = await transaction.deleteFrom('audit').where('id', 'in', old).executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

function entriesOf(
  queries: Queries,
  { workspaceId, tokenId, from, to }: AuditFilter,
  { whileWanted }: Store['dialect'],
) {
  let entries = queries.selectFrom('audit').where('at', '>=', from);
  if (workspaceId !== undefined) entries = entries.where('workspace_id', '=', workspaceId);
  if (tokenId !== undefined) entries = entries.where('token_id', '=', tokenId);
  if (to !== undefined) entries = entries.where('at', '<=', to);
  return whileWanted === undefined ? entries : entries.where(whileWanted);
}

export const auditToRow = ({
  id,
  at,
  tokenId,
  personId,
  action,
  subjectId,
  workspaceId,
  address,
  counts,
}: AuditEntry): AuditRow => ({
  id,
  at,
  token_id: tokenId,
  person_id: personId,
  action,
  subject_id: subjectId,
  workspace_id: workspaceId,
  address,
  counts: counts && JSON.stringify(counts),
});

const fromRow = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  tokenId: row.token_id,
  personId: row.person_id,
  action: row.action,
  subjectId: row.subject_id,
  workspaceId: row.workspace_id,
  address: row.address,
  counts: row.counts === null ? null : JSON.parse(row.counts),
});
