import { type FitJob, type FitQueue, MAX_FITS_WAITING } from '@postshelf/domain';
import { insertItems } from '../media/write-items.ts';
import { completeWithin } from '../repeats/complete.ts';
import { countOf } from '../store/count.ts';
import { turnOfNewJob } from '../store/queue-turns.ts';
import type { Store } from '../store/store.ts';
import type { FitRow } from '../store/tables.ts';
import { finishPending } from '../uploads/finish-pending.ts';

export function fitQueue(store: Store): FitQueue {
  return {
    add: (item, { target, how }, completion) =>
      store.write(async (transaction) => {
        const { id, workspaceId, createdAt } = item;
        const waiting = await countOf(transaction.selectFrom('fits').where('workspace_id', '=', workspaceId));
        if (waiting >= MAX_FITS_WAITING) return 'full';
        if ((await insertItems(transaction, [item])) === 'folder_missing') return 'folder_missing';
        const turn = await turnOfNewJob(transaction, 'fits', workspaceId);
        const job = { media_id: id, workspace_id: workspaceId, target, how, turn, free_at: createdAt, claims: 0 };
        await transaction
          .insertInto('fits')
          .values({ ...job, lease_owner: null, lease_until: null })
          .execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    claim: ({ now, lease, without }) =>
      store.write(async (transaction) => {
        const row = await transaction
          .selectFrom('fits')
          .selectAll()
          .where('free_at', '<=', now)
          .$if(without.length > 0, (query) => query.where('workspace_id', 'not in', without))
          .orderBy('turn')
          .orderBy('media_id')
          .limit(1)
          .forUpdate()
          .skipLocked()
          .executeTakeFirst();
        if (!row) return null;
        await transaction
          .updateTable('fits')
          .set((eb) => ({
            claims: eb('claims', '+', 1),
            free_at: lease.until,
            lease_owner: lease.owner,
            lease_until: lease.until,
          }))
          .where('media_id', '=', row.media_id)
          .execute();
        return jobFromRow(row);
      }),

    renew: (mediaId, { owner, until }) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('fits')
          .set({ free_at: until, lease_until: until })
          .where('media_id', '=', mediaId)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

    release: (mediaId, owner, { freeAt, claims }) =>
      store.write(async (transaction) => {
        const row = await transaction
          .selectFrom('fits')
          .select('workspace_id')
          .where('media_id', '=', mediaId)
          .executeTakeFirst();
        if (!row) return;
        const turn = await turnOfNewJob(transaction, 'fits', row.workspace_id);
        await transaction
          .updateTable('fits')
          .set({ turn, free_at: freeAt, claims, lease_owner: null, lease_until: null })
          .where('media_id', '=', mediaId)
          .where('lease_owner', '=', owner)
          .execute();
      }),

    finish: (mediaId, owner, decide) =>
      store.write((transaction) =>
        finishPending(transaction, store.dialect, { table: 'fits', status: 'processing', id: mediaId, owner }, decide),
      ),

    depth: () => store.read((queries) => countOf(queries.selectFrom('fits'))),
  };
}

const jobFromRow = ({ media_id, workspace_id, target, how, claims }: FitRow): FitJob => ({
  mediaId: media_id,
  workspaceId: workspace_id,
  target,
  how,
  claims: claims + 1,
});
