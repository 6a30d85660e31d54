import type { Random } from '@postshelf/harness';

const YEAR = 365 * 24 * 60 * 60 * 1000;

/** The time of the first post. It is in a year in which most zones change their clocks twice. */
export const FIRST = Date.UTC(2025, 0, 1);
export const LAST = FIRST + YEAR - 1;

export interface MadePost {
  readonly external_id: string;
  readonly published_at: string;
  readonly text: string;
  readonly metrics: Readonly<Record<'impressions' | 'likes' | 'comments' | 'shares' | 'saves' | 'clicks', number>>;
}

/** Makes posts, the oldest first as in exports, with ids from `first` on. */
export function* makePosts(random: Random, first: number, posts: number): Generator<MadePost> {
  for (let nth = 0; nth < posts; nth++) {
    const at = FIRST + Math.floor(((nth + random.next()) / posts) * YEAR);
    const likes = Math.floor(20 / (random.next() + 0.001));
    yield {
      external_id: String(first + nth),
      published_at: new Date(at).toISOString(),
      text: `Post ${nth}: the sea, the sun and everything else that the summer had`,
      metrics: {
        impressions: likes * 20,
        likes,
        comments: random.below(likes),
        shares: random.below(10),
        saves: random.below(10),
        clicks: random.below(50),
      },
    };
  }
}

/** Returns a line for each post. */
export function linesOf(profile: string, posts: Iterable<MadePost>): string {
  let body = '';
  for (const post of posts) body += `${JSON.stringify({ profile, ...post })}\n`;
  return body;
}
