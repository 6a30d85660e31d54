import { withClient } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';
import { FIRST, LAST } from '../support/posts.ts';

const HOUR = 3_600_000;

/** The times at which Berlin's clocks changed in 2025 (tzdata: 30 March and 26 October at 01:00 UTC). */
const SUMMER = { begins: Date.UTC(2025, 2, 30, 1), ends: Date.UTC(2025, 9, 26, 1) };

export interface Cells {
  readonly cells: readonly number[];
  readonly posts: number;
}

interface Row {
  readonly profile_id: string;
  readonly hour: number;
  readonly posts: number;
  readonly engagement: number;
}

export type Scope = 'profile' | 'workspace';

const SQL = (scope: Scope, id: string): string =>
  `select profile_id,
     ((published_at + case when published_at >= ${SUMMER.begins} and published_at < ${SUMMER.ends}
        then ${2 * HOUR} else ${HOUR} end) / ${HOUR} + 96) % 168 as hour,
     count(*) as posts, sum(likes + comments + shares + saves) as engagement
   from posts where ${scope}_id = '${id}' and published_at between ${FIRST} and ${LAST}
   group by profile_id, hour`;

/**
 * Computes the plain mean with one `GROUP BY` over the posts of the window. The query contains the zone's UTC offsets
 * as literals; everything else is computed in code.
 */
export function groupBySqlite(file: string, scope: Scope, id: string): Cells {
  const database = new Database(file, { readonly: true });
  try {
    return heatmap(database.prepare<[], Row>(SQL(scope, id)).all());
  } finally {
    database.close();
  }
}

/** Like {@link groupBySqlite}, for PostgreSQL. The driver returns large numbers as strings. */
export const groupByPostgres = (url: string, scope: Scope, id: string): Promise<Cells> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<Record<keyof Row, string>>(SQL(scope, id));
    return heatmap(
      rows.map(({ profile_id, hour, posts, engagement }) => ({
        profile_id,
        hour: Number(hour),
        posts: Number(posts),
        engagement: Number(engagement),
      })),
    );
  });

function heatmap(rows: readonly Row[]): Cells {
  const sums = new Map<string, { posts: number; engagement: number }>();
  for (const { profile_id, posts, engagement } of rows) {
    const sum = sums.get(profile_id) ?? { posts: 0, engagement: 0 };
    sums.set(profile_id, { posts: sum.posts + posts, engagement: sum.engagement + engagement });
  }
  const [scores, counts] = [new Array<number>(168).fill(0), new Array<number>(168).fill(0)];
  for (const { profile_id, hour, posts, engagement } of rows) {
    const sum = sums.get(profile_id) ?? { posts: 0, engagement: 0 };
    scores[hour] = (scores[hour] ?? 0) + (sum.engagement === 0 ? posts : (engagement * sum.posts) / sum.engagement);
    counts[hour] = (counts[hour] ?? 0) + posts;
  }
  const cells = scores.map((score, hour) => Math.round((10_000 * (score + 5)) / ((counts[hour] ?? 0) + 5)) / 100);
  return { cells, posts: counts.reduce((total, count) => total + count, 0) };
}
