import type { PresignRepository } from '@postshelf/domain';
import { endMaking } from '../repositories/end-making.ts';
import { lockItem } from '../repositories/lock-item.ts';
import { standsWell } from '../repositories/media-place.ts';
import { mediaToRow } from '../repositories/media-rows.ts';
import type { Store } from '../repositories/store.ts';
import { ticketFromRow, ticketToRow } from './ticket-rows.ts';

/**
 * Tickets as rows beside those of the media. This is the way in for `temporary` items: one that the media repository
 * keeps alone has no ticket, and nobody could ever confirm it.
 */
export function presignRepository(store: Store): PresignRepository {
  return {
    add: (uploads) =>
      store.transact(async (transaction) => {
        for (const { item } of uploads) if (!(await standsWell(transaction, item))) return 'folder_missing';
        for (const { item, upload } of uploads) {
          await transaction.insertInto('media').values(mediaToRow(item)).execute();
          await transaction.insertInto('presigned_uploads').values(ticketToRow(upload)).execute();
        }
        return 'kept';
      }),

    async find(id) {
      const row = await store.reads
        .selectFrom('presigned_uploads')
        .selectAll()
        .where('media_id', '=', id)
        .executeTakeFirst();
      return row ? ticketFromRow(row) : null;
    },

    claim: (id, { owner, until }, now) =>
      store.transact(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('presigned_uploads')
          .set({ lease_owner: owner, lease_until: until })
          .where('media_id', '=', id)
          .where((eb) =>
            eb.or([eb('lease_owner', 'is', null), eb('lease_owner', '=', owner), eb('lease_until', '<=', now)]),
          )
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

    async holder(id) {
      const row = await store.reads
        .selectFrom('presigned_uploads')
        .select('lease_owner')
        .where('media_id', '=', id)
        .executeTakeFirst();
      return row?.lease_owner ?? null;
    },

    release: (id, owner) =>
      store.transact(async (transaction) => {
        await transaction
          .updateTable('presigned_uploads')
          .set({ lease_owner: null, lease_until: null })
          .where('media_id', '=', id)
          .where('lease_owner', '=', owner)
          .execute();
      }),

    finish: (id, owner, decide) =>
      store.transact(async (transaction) => {
        if (!(await lockItem(transaction, id))) return false;
        const { numDeletedRows } = await transaction
          .deleteFrom('presigned_uploads')
          .where('media_id', '=', id)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await endMaking(transaction, id, 'temporary', decide);
        return true;
      }),

    async expired(before, limit) {
      const rows = await store.reads
        .selectFrom('presigned_uploads')
        .select('media_id')
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .orderBy('media_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.media_id);
    },
  };
}
