import type { CoverJob, CoverQueue } from '@postshelf/domain';
import { insertItem } from '../media/write-items.ts';
import { countOf } from '../store/count.ts';
import { turnOfNewJob } from '../store/queue-turns.ts';
import { lockItem } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import type { CoverDueRow } from '../store/tables.ts';

/** One row per video without a cover yet; `insertItems` and `finishItem` add them. */
export function coverQueue(store: Store): CoverQueue {
  return {
    claim: ({ now, until, limit }) =>
      store.write(async (transaction) => {
        const rows = await transaction
          .selectFrom('covers_due')
          .selectAll()
          .where('free_at', '<=', now)
          .orderBy('turn')
          .orderBy('media_id')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        if (rows.length === 0) return [];
        const ids = rows.map((row) => row.media_id);
        await transaction
          .updateTable('covers_due')
          .set((eb) => ({ claims: eb('claims', '+', 1), free_at: until }))
          .where('media_id', 'in', ids)
          .execute();
        return rows.map(jobFromRow);
      }),

    release: (mediaId, { freeAt, claims }) =>
      store.write(async (transaction) => {
        const row = await transaction
          .selectFrom('covers_due')
          .select('workspace_id')
          .where('media_id', '=', mediaId)
          .executeTakeFirst();
        if (!row) return;
        await transaction
          .updateTable('covers_due')
          .set({ turn: await turnOfNewJob(transaction, 'covers_due', row.workspace_id), free_at: freeAt, claims })
          .where('media_id', '=', mediaId)
          .execute();
      }),

    finish: (mediaId, cover) =>
      store.write(async (transaction) => {
        if (!(await lockItem(transaction, mediaId))) return false;
        const { numDeletedRows } = await transaction
          .deleteFrom('covers_due')
          .where('media_id', '=', mediaId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        if (cover !== null) await insertItem(transaction, cover);
        return true;
      }),

    depth: () => store.read((queries) => countOf(queries.selectFrom('covers_due'))),
  };
}

const jobFromRow = ({ media_id, workspace_id, claims }: CoverDueRow): CoverJob => ({
  mediaId: media_id,
  workspaceId: workspace_id,
  claims: claims + 1,
});
