import type { Deletion, DeletionRepository } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { DeletionRow } from '../store/tables.ts';

export function deletionRepository(store: Store): DeletionRepository {
  return {
    async list(limit, after) {
      const rows = await store.read((queries) =>
        queries
          .selectFrom('deletions')
          .selectAll()
          .where(({ eb, refTuple, tuple, lit }) => {
            if (after === undefined) return lit(true);
            const { deleted_at, id, is_upload } = toRow(after);
            return eb(refTuple('deleted_at', 'id', 'is_upload'), '>', tuple(deleted_at, id, is_upload));
          })
          .orderBy('deleted_at')
          .orderBy('id')
          .orderBy('is_upload')
          .limit(limit)
          .execute(),
      );
      // The caller purges the objects and uploads of these deletions, so the deletion of their rows must be durable.
      await store.settled();
      return rows.map((row) => ({ id: row.id, fullName: row.full_name, deletedAt: row.deleted_at }));
    },

    record: (deletions) => store.write((transaction) => recordDeletions(transaction, deletions)),

    async remove(deletions) {
      for (const some of blocksOf(deletions)) {
        await store.write(async (transaction) => {
          for (const isUpload of [0, 1] as const) {
            const ids = some.filter((one) => toRow(one).is_upload === isUpload).map(({ id }) => id);
            if (ids.length === 0) continue;
            await transaction
              .deleteFrom('deletions')
              .where('is_upload', '=', isUpload)
              .where('id', 'in', ids)
              .execute();
          }
        });
      }
    },
  };
}

/** Records deletions in a transaction of the caller. @returns how many were not recorded before */
export async function recordDeletions(transaction: Queries, deletions: readonly Deletion[]): Promise<number> {
  if (deletions.length === 0) return 0;
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('deletions')
    .values(deletions.map(toRow))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

const toRow = ({ id, fullName, deletedAt }: Deletion): DeletionRow => ({
  id,
  is_upload: fullName === null ? 1 : 0,
  full_name: fullName,
  deleted_at: deletedAt,
});
