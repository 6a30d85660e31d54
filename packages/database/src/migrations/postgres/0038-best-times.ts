import { type Kysely, sql } from 'kysely';

/** Best times are read from the posts, by an index that has all that is read of them, instead of sums of each day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop table engagement_days`.execute(db);
  await sql`create index posts_learned on posts (profile_id, published_at desc)
    include (created_at, likes, comments, shares, saves, impressions, clicks)`.execute(db);
}
