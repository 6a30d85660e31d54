import { type ImportQueue, NO_TERMS } from '@postshelf/domain';
import { insertItems } from '../media/write-items.ts';
import { completeWithin } from '../repeats/complete.ts';
import { depthOf } from '../store/queue-turns.ts';
import type { Store } from '../store/store.ts';
import { termsToRow } from '../store/tables.ts';
import { finishPending } from '../uploads/finish-pending.ts';
import { claimImports, freeEndedLeases } from './claim-imports.ts';
import { importState } from './import-rows.ts';

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
