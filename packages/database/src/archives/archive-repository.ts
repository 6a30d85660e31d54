import { type Archive, type ArchiveRepository, MAX_ARCHIVES } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { countOf } from '../store/count.ts';
import { lockWorkspace } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import type { ArchiveRow } from '../store/tables.ts';

export function archiveRepository(store: Store): ArchiveRepository {
  return {
    insert: (archive, now, completion) =>
      store.write(async (transaction) => {
        const { workspaceId } = archive;
        if (!(await lockWorkspace(transaction, workspaceId))) return 'gone';
        await store.dialect.lock(transaction, 'archives', [workspaceId]);
        const ofWorkspace = transaction.selectFrom('archives').where('workspace_id', '=', workspaceId);
        if ((await countOf(ofWorkspace.where('expires_at', '>', now))) >= MAX_ARCHIVES) return 'full';
        await transaction.insertInto('archives').values(toRow(archive)).execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    async find(id) {
      const row = await store.read((queries) =>
        queries.selectFrom('archives').selectAll().where('id', '=', id).executeTakeFirst(),
      );
      return row ? fromRow(row) : null;
    },

    prune: (before, limit) =>
      store.write(async (transaction) => {
        const due = transaction.selectFrom('archives').select('id').where('expires_at', '<', before);
        const { numDeletedRows } = await transaction
          .deleteFrom('archives')
          .where('id', 'in', due.orderBy('expires_at').limit(limit))
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

const toRow = ({ id, workspaceId, mediaIds, expiresAt }: Archive): ArchiveRow => ({
  id,
  workspace_id: workspaceId,
  media_ids: JSON.stringify(mediaIds),
  expires_at: expiresAt,
});

const fromRow = (row: ArchiveRow): Archive => ({
  id: row.id,
  workspaceId: row.workspace_id,
  mediaIds: JSON.parse(row.media_ids),
  expiresAt: row.expires_at,
});
