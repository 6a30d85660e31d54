import type { Deletion, DeletionRepository } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { DeletionRow } from '../store/tables.ts';

const BATCH = 500;

export function deletionRepository(store: Store): DeletionRepository {
  return {
    async list(limit) {
      const rows = await store.read((queries) =>
        queries.selectFrom('deletions').selectAll().orderBy('deleted_at').orderBy('id').limit(limit).execute(),
      );
      // What they name is destroyed, so its rows must be gone for good.
      await store.settled();
      return rows.map((row) => ({ id: row.id, fullName: row.full_name, deletedAt: row.deleted_at }));
    },

    async forget(deletions) {
      for (let start = 0; start < deletions.length; start += BATCH) {
        const some = deletions.slice(start, start + BATCH);
        await store.write(async (transaction) => {
          for (const isUpload of [0, 1] as const) {
            const ids = some.filter(({ fullName }) => (fullName === null) === (isUpload === 1)).map(({ id }) => id);
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

/** Called in the transaction that removes the rows. */
export async function recordDeletions(transaction: Queries, deletions: readonly Deletion[]): Promise<void> {
  const rows = deletions.map(
    ({ id, fullName, deletedAt }): DeletionRow => ({
      id,
      is_upload: fullName === null ? 1 : 0,
      full_name: fullName,
      deleted_at: deletedAt,
    }),
  );
  if (rows.length === 0) return;
  await transaction
    .insertInto('deletions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
