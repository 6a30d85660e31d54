import type { Uuid } from '@postshelf/domain';
import { searchKeyAsTagged } from '../search/search-key.ts';
import type { Queries } from '../store/dialect.ts';
import { lockItem } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import { mediaFromRow } from './media-rows.ts';

/** In one transaction, which takes some milliseconds. */
const MAX_ITEMS = 50;

/** Adds tags and alt text to the search keys that lack them (see migration 0032), until none does. */
export async function completeSearchKeys({ read, write }: Pick<Store, 'read' | 'write'>, signal: AbortSignal) {
  while (!signal.aborted) {
    const due = await read((queries) =>
      queries.selectFrom('media_search_due').select('media_id').orderBy('media_id').limit(MAX_ITEMS).execute(),
    );
    if (due.length === 0) return;
    await write(async (transaction) => {
      for (const { media_id } of due) await completeSearchKey(transaction, media_id);
    });
  }
}

async function completeSearchKey(queries: Queries, id: Uuid): Promise<void> {
  if (!(await lockItem(queries, id))) return;
  const row = await queries.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  await queries
    .updateTable('media')
    .set({ search_key: searchKeyAsTagged(mediaFromRow(row)) })
    .where('id', '=', id)
    .execute();
  await queries.deleteFrom('media_search_due').where('media_id', '=', id).execute();
}
