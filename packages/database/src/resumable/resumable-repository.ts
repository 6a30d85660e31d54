import {
  endOf,
  FARTHEST_END,
  type Piece,
  type ResumableRepository,
  type ResumableUpload,
  type Uuid,
} from '@postshelf/domain';
import { insertItems } from '../media/write-items.ts';
import { presignToRow } from '../presign/presign-repository.ts';
import type { Queries } from '../store/dialect.ts';
import { GIVEN, type Store } from '../store/store.ts';
import { leaseFromRow, type ResumablePieceRow, type ResumableUploadRow } from '../store/tables.ts';

export function resumableRepository(store: Store): ResumableRepository {
  const rowOf = store.lookup((queries) =>
    queries.selectFrom('resumable_uploads').selectAll().where('media_id', '=', GIVEN),
  );

  return {
    add: (item, { size, terms, metadata }, now) =>
      store.write(async (transaction) => {
        if ((await insertItems(transaction, [item])) === 'folder_missing') return 'folder_missing';
        const { id, workspaceId } = item;
        const presigned = presignToRow({ kind: 'resumable', id, size, expiresAt: wholeSecond(now), terms });
        await transaction.insertInto('presigned_uploads').values(presigned).execute();
        const row = { media_id: id, workspace_id: workspaceId, size, received: 0, metadata, last_byte_at: now };
        await transaction.insertInto('resumable_uploads').values(row).execute();
        return 'kept';
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? fromRow(row) : null;
    },

    pieces: (id) => store.read(async (queries) => (await piecesOf(queries, id).execute()).map(pieceFromRow)),

    lastPiece: (id) =>
      store.read(async (queries) => {
        const row = await piecesOf(queries, id, 'desc').limit(1).executeTakeFirst();
        return row ? pieceFromRow(row) : null;
      }),

    renew: (id, owner, until) =>
      store.write(async (transaction) => (await holding(transaction, id, owner, { lease_until: until })) > 0),

    async endSilent(id, now) {
      const leaseOf = (queries: Queries) =>
        queries
          .selectFrom('presigned_uploads')
          .select(['lease_owner', 'lease_until'])
          .where('media_id', '=', id)
          .executeTakeFirst();
      const found = await store.read(leaseOf);
      if (!found || leaseFromRow(found) === null) return true;
      return store.write(async (transaction) => {
        await transaction
          .updateTable('presigned_uploads')
          .set({ lease_owner: null, lease_until: null })
          .where('media_id', '=', id)
          .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + FARTHEST_END)]))
          .execute();
        const left = await leaseOf(transaction);
        return !left || leaseFromRow(left) === null;
      });
    },

    advance: (id, owner, from, pieces, now) =>
      store.write(async (transaction) => {
        if ((await holding(transaction, id, owner, { expires_at: wholeSecond(now) })) === 0) return false;
        for (const { start, size, name } of pieces) {
          await transaction
            .insertInto('resumable_pieces')
            .values({ media_id: id, start, size, name })
            .onConflict((conflict) => conflict.columns(['media_id', 'start']).doUpdateSet({ size, name }))
            .execute();
        }
        const { numUpdatedRows } = await transaction
          .updateTable('resumable_uploads')
          .set({ received: endOf(pieces), last_byte_at: now })
          .where('media_id', '=', id)
          .where('received', '=', from)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) throw new Error(`The upload ${id} isn't where its writer left it.`);
        return true;
      }),

    async complete(before, after, limit) {
      const rows = await store.read((queries) => {
        const waiting = queries
          .selectFrom('resumable_uploads')
          .innerJoin('presigned_uploads', 'presigned_uploads.media_id', 'resumable_uploads.media_id')
          .select('resumable_uploads.media_id')
          .whereRef('received', '=', 'resumable_uploads.size')
          .where('last_byte_at', '<', before);
        const page = after === null ? waiting : waiting.where('resumable_uploads.media_id', '>', after);
        return page.orderBy('resumable_uploads.media_id').limit(limit).execute();
      });
      return rows.map(({ media_id }) => media_id);
    },

    remove: (id) =>
      store.write(async (transaction) => {
        await transaction.deleteFrom('resumable_uploads').where('media_id', '=', id).execute();
      }),

    prune: (before, limit) =>
      store.write(async (transaction) => {
        const old = transaction
          .selectFrom('resumable_uploads')
          .select('media_id')
          .where('last_byte_at', '<', before)
          .limit(limit);
        const { numDeletedRows } = await transaction
          .deleteFrom('resumable_uploads')
          .where('media_id', 'in', old)
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

const piecesOf = (queries: Queries, id: Uuid, order: 'asc' | 'desc' = 'asc') =>
  queries
    .selectFrom('resumable_pieces')
    .select(['name', 'start', 'size'])
    .where('media_id', '=', id)
    .orderBy('start', order);

const pieceFromRow = ({ name, start, size }: Pick<ResumablePieceRow, keyof Piece>): Piece => ({
  name,
  start: Number(start),
  size: Number(size),
});

const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** Changes the presigned upload if the owner holds its lease. @returns how many rows were changed */
async function holding(
  transaction: Queries,
  id: Uuid,
  owner: string,
  change: { readonly lease_until: number } | { readonly expires_at: number },
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('presigned_uploads')
    .set(change)
    .where('media_id', '=', id)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

const fromRow = (row: ResumableUploadRow): ResumableUpload => ({
  id: row.media_id,
  workspaceId: row.workspace_id,
  size: row.size,
  received: row.received,
  metadata: row.metadata,
  lastByteAt: row.last_byte_at,
});
