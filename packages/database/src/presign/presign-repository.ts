import { type AnnouncedUpload, mayTakeLease, type PresignRepository } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { insertItems } from '../media/write-items.ts';
import { GIVEN, type Store } from '../store/store.ts';
import { leaseFromRow, type PresignedUploadRow, termsFromRow, termsToRow } from '../store/tables.ts';
import { finishPending } from '../uploads/finish-pending.ts';

/**
 * Stores presigned uploads, one row per `temporary` item. Such items must be inserted only here, because otherwise they
 * can't be confirmed.
 */
export function presignRepository(store: Store): PresignRepository {
  const rowOf = store.lookup((queries) =>
    queries.selectFrom('presigned_uploads').selectAll().where('media_id', '=', GIVEN),
  );

  return {
    add: (uploads, completion) =>
      store.write(async (transaction) => {
        const items = uploads.map(({ item }) => item);
        if ((await insertItems(transaction, items)) === 'folder_missing') return 'folder_missing';
        for (const { upload } of uploads) {
          await transaction.insertInto('presigned_uploads').values(presignToRow(upload)).execute();
        }
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? presignFromRow(row) : null;
    },

    claim: (id, { owner, until }, now) =>
      store.write(async (transaction) => {
        const row = await transaction
          .selectFrom('presigned_uploads')
          .select(['lease_owner', 'lease_until'])
          .where('media_id', '=', id)
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (!row || !mayTakeLease(leaseFromRow(row), owner, now)) return false;
        await transaction
          .updateTable('presigned_uploads')
          .set({ lease_owner: owner, lease_until: until })
          .where('media_id', '=', id)
          .execute();
        return true;
      }),

    release: (id, owner) =>
      store.write(async (transaction) => {
        await transaction
          .updateTable('presigned_uploads')
          .set({ lease_owner: null, lease_until: null })
          .where('media_id', '=', id)
          .where('lease_owner', '=', owner)
          .execute();
      }),

    finish: (id, owner, decide) =>
      store.write(async (transaction) => {
        const pending = { kind: 'presigned', subjectId: id, owner } as const;
        const isFinished = await finishPending(transaction, store.dialect, pending, decide);
        if (isFinished) await transaction.deleteFrom('resumable_pieces').where('media_id', '=', id).execute();
        return isFinished;
      }),

    async expired(before, limit) {
      const rows = await store.read((queries) =>
        queries
          .selectFrom('presigned_uploads')
          .select('media_id')
          .where('expires_at', '<', before)
          .orderBy('expires_at')
          .orderBy('media_id')
          .limit(limit)
          .execute(),
      );
      return rows.map((row) => row.media_id);
    },
  };
}

export const presignToRow = (upload: AnnouncedUpload): PresignedUploadRow => ({
  media_id: upload.id,
  size: upload.size,
  type: upload.kind === 'presigned' ? upload.type : '',
  expires_at: upload.expiresAt,
  lease_owner: null,
  lease_until: null,
  ...termsToRow(upload.terms),
});

const presignFromRow = (row: PresignedUploadRow): AnnouncedUpload => ({
  ...(row.type === '' ? { kind: 'resumable' } : { kind: 'presigned', type: row.type }),
  id: row.media_id,
  size: row.size,
  expiresAt: row.expires_at,
  terms: termsFromRow(row),
});
