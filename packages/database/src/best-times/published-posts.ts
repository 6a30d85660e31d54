import type { BestTimesScope, TimeWindow } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Scan } from '../store/store.ts';

const MAX_PUBLISHED = 50_000;
const QUARTER = 15 * 60 * 1000;

/** Implements `BestTimesRepository.published`, with the index of the profile or the workspace. */
export const publishedPosts: Scan<[BestTimesScope, TimeWindow], readonly number[]> = {
  name: 'publishedPosts',
  async run({ read }, { workspaceId, profileId }, { from, to }) {
    const rows = await read((queries) => {
      const posts = queries
        .selectFrom('posts')
        .select('published_at')
        .where('published_at', '>=', from)
        .where('published_at', '<=', to)
        .orderBy('published_at')
        .orderBy('id')
        .limit(MAX_PUBLISHED);
      const inScope =
        profileId === null
          ? posts
              .where('workspace_id', '=', workspaceId)
              // A subquery is used, so that each profile is looked up by its id; for a join PostgreSQL may read all
              // profiles.
              .where(
                ({ selectFrom }) =>
                  selectFrom('profiles')
                    .select('profiles.removal_begun_at')
                    .whereRef('profiles.id', '=', 'posts.profile_id'),
                'is',
                null,
              )
          : posts.where('profile_id', '=', profileId);
      return queries
        .selectFrom(inScope.as('posts'))
        .select(({ fn }) => [fn.min('published_at').as('first'), fn.max('published_at').as('last')])
        .groupBy(sql`published_at / ${sql.lit(QUARTER)}`)
        .execute();
    });
    const instants = rows.flatMap(({ first, last }) => [Number(first), Number(last)]);
    return instants.sort((one, other) => one - other);
  },
};
