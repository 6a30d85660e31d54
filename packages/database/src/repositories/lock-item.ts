import type { Uuid } from '@postshelf/domain';
import type { Queries } from './store.ts';

/**
 * Keeps everybody else from changing or removing an item until the transaction ends; false when there is none (any
 * more). Asked for before the rows that hang on the item (cover, job, ticket) are touched, so that nobody waits in a
 * circle: removing an item goes the same way.
 */
export async function lockItem(queries: Queries, id: Uuid): Promise<boolean> {
  const row = await queries.selectFrom('media').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}
