import type { Uuid } from '@postshelf/domain';
import { countOf, countOfFew } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';

/** Counts posts with an index, at a cost that grows with the number of these posts. */
export const countPostsOf: Scan<[readonly Uuid[]], readonly (readonly [Uuid, number])[]> = {
  name: 'countPostsOf',
  run: ({ read }, ids) =>
    read(async (queries) => {
      const counts: (readonly [Uuid, number])[] = [];
      for (const id of ids) {
        counts.push([id, await countOf(queries.selectFrom('post_media').where('media_id', '=', id))]);
      }
      return counts;
    }),
};

export async function countFewPostsOf(
  queries: Queries,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, number> | null> {
  if (ids.length === 0) return new Map();
  const uses = queries.selectFrom('post_media').where('media_id', 'in', ids);
  if ((await countOfFew(queries, uses)) === null) return null;
  const rows = await uses
    .select((eb) => ['media_id', eb.fn.countAll().as('posts')])
    .groupBy('media_id')
    .execute();
  return new Map(rows.map(({ media_id, posts }) => [media_id, Number(posts)]));
}
