import { type PreviewRepository, retryPreviewsAfter, type Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { depthOf } from '../store/queue-turns.ts';
import { lockItem } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { Flag, Tables } from '../store/tables.ts';

export const newPreviews = (id: Uuid, dueAt: number | null): Tables['previews'] => ({
  media_id: id,
  has_failed: 0,
  placeholder: null,
  due_at: dueAt,
  faults: 0,
});

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

    keep: (id, { hasFailed, placeholder }) =>
      change(store, id, { has_failed: hasFailed ? 1 : 0, placeholder, due_at: null, faults: 0 }),

    keepPlaceholder: (id, placeholder) => change(store, id, { has_failed: 0, placeholder }),

    async due(now, limit) {
      const rows = await store.read((queries) =>
        queries
          .selectFrom('previews')
          .select('media_id')
          .where('due_at', '<=', now)
          .orderBy('due_at', 'desc')
          .limit(limit)
          .execute(),
      );
      return rows.map((row) => row.media_id);
    },

    depth: async () => (await depthOf(store, 'previews')).jobs,

    putOff: (id, now) =>
      store.write(async (transaction) => {
        const rows = transaction.selectFrom('previews').select('faults').where('media_id', '=', id);
        const row = await rows.where('due_at', 'is not', null).forUpdate().executeTakeFirst();
        if (!row) return;
        const faults = row.faults + 1;
        const delay = retryPreviewsAfter(faults);
        await transaction
          .updateTable('previews')
          .set({ faults, due_at: delay === null ? null : now + delay })
          .where('media_id', '=', id)
          .execute();
      }),

    async existingItems(ids) {
      if (ids.length === 0) return new Set();
      const rows = await store.read((queries) =>
        queries.selectFrom('media').select('id').where('id', 'in', ids).execute(),
      );
      // The previews of all other ids are removed, so their rows must be gone for good.
      await store.settled();
      return new Set(rows.map((row) => row.id));
    },
  };
}

interface PreviewChange {
  readonly has_failed: Flag;
  readonly placeholder: string | null;
  readonly due_at?: null;
  readonly faults?: number;
}

/** Updates an item's row, or inserts one if the item is older than previews. Returns false if there is no item. */
function change(store: Store, id: Uuid, fields: PreviewChange): Promise<boolean> {
  return store.write(async (transaction) => {
    // Can't deadlock, as it locks a single item.
    if (!(await lockItem(transaction, id))) return false;
    if (await isKnown(transaction, id)) {
      await transaction.updateTable('previews').set(fields).where('media_id', '=', id).execute();
    } else {
      await transaction
        .insertInto('previews')
        .values({ ...newPreviews(id, null), ...fields })
        .execute();
    }
    return true;
  });
}

async function isKnown(queries: Queries, id: Uuid): Promise<boolean> {
  const row = await queries.selectFrom('previews').select('media_id').where('media_id', '=', id).executeTakeFirst();
  return row !== undefined;
}
