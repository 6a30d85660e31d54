import { type Kysely, sql } from 'kysely';

/**
 * From now on a post that was published after it was created counts in best times from its first metrics on. Those that
 * are counted already stay so, as the roll-up has them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update posts set created_at = published_at where published_at > created_at
    and impressions = 0 and likes = 0 and comments = 0 and shares = 0 and saves = 0 and clicks = 0`.execute(db);
}
