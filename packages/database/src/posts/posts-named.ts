import type { Post } from '@postshelf/domain';
import { sql } from 'kysely';
import { blocksOf } from '../repositories/blocks.ts';
import type { Dialect, Queries } from '../repositories/store.ts';
import type { PostRow } from '../repositories/tables.ts';
import { withMedia } from './post-media.ts';

type Name = Pick<Post, 'profileId' | 'externalId'>;

/** What a post is told from others by in an import. A UUID holds no space, so no two names are one text. */
export const keyOf = ({ profileId, externalId }: Name): string => `${profileId} ${externalId}`;

/** Those of the posts named that there are, by {@link keyOf}. */
export async function postsNamed(
  queries: Queries,
  dialect: Dialect,
  names: readonly Name[],
): Promise<ReadonlyMap<string, Post>> {
  const rows: PostRow[] = [];
  for (const block of blocksOf(names)) {
    const keys = block.map(({ profileId, externalId }) => sql`(${dialect.typedId(profileId)}, ${externalId})`);
    rows.push(
      ...(await queries
        .selectFrom('posts')
        .selectAll()
        .where(sql<boolean>`(profile_id, external_id) in (values ${sql.join(keys)})`)
        // Without these words the index, which is partial, would not be used.
        .where('external_id', 'is not', null)
        .execute()),
    );
  }
  const posts = await withMedia(queries, rows);
  return new Map(posts.map((post) => [keyOf(post), post]));
}
