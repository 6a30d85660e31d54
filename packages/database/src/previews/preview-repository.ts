import type { PreviewRepository, Uuid } from '@postshelf/domain';
import { deleteJobs } from '../jobs/jobs.ts';
import type { Queries } from '../store/dialect.ts';
import { lockItem } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { Flag, Tables } from '../store/tables.ts';

export const newPreviews = (id: Uuid): Tables['previews'] => ({ media_id: id, has_failed: 0, placeholder: null });

export function previewRepository(store: Store): PreviewRepository {
  const factsOf = store.lookup((queries) =>
    queries.selectFrom('previews').select(['media_id', 'has_failed', 'placeholder']).where('media_id', '=', GIVEN),
  );

  return {
    async factsOf(ids) {
      const rows = await Promise.all(ids.map((id) => factsOf(id)));
      return new Map(
        rows
          .flat()
          .map(({ media_id, has_failed, placeholder }) => [media_id, { hasFailed: has_failed === 1, placeholder }]),
      );
    },

    store: (id, { hasFailed, placeholder }) =>
      store.write(async (transaction) => {
        if (!(await upsert(transaction, id, { has_failed: hasFailed ? 1 : 0, placeholder }))) return false;
        await deleteJobs(transaction, 'preview', [id]);
        return true;
      }),

    storePlaceholder: (id, placeholder) =>
      store.write((transaction) => upsert(transaction, id, { has_failed: 0, placeholder })),

    async existingItems(ids) {
      if (ids.length === 0) return new Set();
      const rows = await store.read((queries) =>
        queries.selectFrom('media').select('id').where('id', 'in', ids).execute(),
      );
      // The caller deletes the previews of the ids that aren't returned, so the deletion of their rows must be durable.
      await store.settled();
      return new Set(rows.map((row) => row.id));
    },
  };
}

/**
 * Updates an item's row, or inserts one if the item is older than the preview feature. Returns false if there is no
 * item.
 */
async function upsert(
  transaction: Queries,
  id: Uuid,
  fields: { readonly has_failed: Flag; readonly placeholder: string | null },
): Promise<boolean> {
  // This can't deadlock, because it locks a single item.
  if (!(await lockItem(transaction, id))) return false;
  await transaction
    .insertInto('previews')
    .values({ ...newPreviews(id), ...fields })
    .onConflict((conflict) => conflict.column('media_id').doUpdateSet(fields))
    .execute();
  return true;
}
