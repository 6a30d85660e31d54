import { sql } from 'kysely';

/** SQL of `isCounted` for a row of `posts`. */
export const IS_COUNTED = sql<boolean>`(published_at <= created_at
  or impressions > 0 or likes > 0 or comments > 0 or shares > 0 or saves > 0 or clicks > 0)`;

/** SQL of `engagementOf` for a row of `posts`. */
export const ENGAGEMENT = sql<number>`likes + comments + shares + saves`;
