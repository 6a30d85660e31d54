import type { ActiveMedia, MediaContent, MediaRepository, Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries, Store } from '../store/store.ts';
import { detailsToJson } from './details-json.ts';
import { activeFromRow } from './media-rows.ts';

/** Active items of which something isn't known yet, by an index of just these. */
const unexamined = (queries: Queries) =>
  queries
    .selectFrom('media')
    .where('status', '=', 'active')
    .where((eb) => eb.or([eb('details', 'is', null), eb('sha256', 'is', null)]));

/** What the repository of media says of items that are still to be looked at. */
export const unexaminedMedia = (
  store: Store,
): Pick<MediaRepository, 'listUnexamined' | 'countUnexamined' | 'keepExamined'> => ({
  async listUnexamined(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]> {
    const all = unexamined(store.reads).selectAll().orderBy('id').limit(limit);
    const rows = await (after === null ? all : all.where('id', '>', after)).execute();
    return rows.map(activeFromRow);
  },

  async countUnexamined(most: number): Promise<number> {
    const first = unexamined(store.reads).select('id').limit(most).as('first');
    const { count } = await store.reads
      .selectFrom(first)
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  keepExamined: (id: Uuid, { details, sha256 }: Pick<MediaContent, 'details' | 'sha256'>): Promise<boolean> =>
    store.transactFor('upkeep', async (transaction) => {
      const json = details && detailsToJson(details);
      if (json === null && sha256 === null) return false;
      const { numUpdatedRows } = await transaction
        .updateTable('media')
        .set({
          details: sql<string | null>`coalesce(details, ${json})`,
          sha256: sql<string | null>`coalesce(sha256, ${sha256})`,
        })
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where((eb) =>
          eb.or([
            ...(json === null ? [] : [eb('details', 'is', null)]),
            ...(sha256 === null ? [] : [eb('sha256', 'is', null)]),
          ]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),
});
