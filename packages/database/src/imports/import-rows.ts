import type { ImportJob, ImportQueue } from '@postshelf/domain';
import { type ImportRow, termsFromRow } from '../store/tables.ts';

export type ImportStart = Parameters<ImportQueue['add']>[2];

type ImportState = Pick<ImportRow, 'due_at' | 'lease_owner' | 'lease_until'>;

export const importState = (start: ImportStart): ImportState =>
  'lease' in start
    ? { due_at: null, lease_owner: start.lease.owner, lease_until: start.lease.until }
    : { due_at: start.dueAt, lease_owner: null, lease_until: null };

export const jobFromRow = (row: ImportRow): ImportJob => ({
  mediaId: row.media_id,
  workspaceId: row.workspace_id,
  url: row.url,
  attempts: row.attempts,
  claims: row.claims,
  terms: termsFromRow(row),
  ...(row.request_id !== null && { requestId: row.request_id }),
});
