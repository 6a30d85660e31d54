import {
  type BestTimesRepository,
  type EngagementRow,
  engagementOf,
  type Post,
  QUARTER,
  quarterOf,
  type TimeWindow,
} from '@postshelf/domain';

/** Of each profile its rows: when, posts, engagement. In an order that says nothing about the repository's. */
type Rows = readonly (readonly (readonly [number, number, number])[])[];

type IsWhole = (quarter: number) => boolean;
type Scope = Parameters<BestTimesRepository['read']>[0];

/** All that the repository answers, the pages of each profile put together. */
export async function readRows(
  bestTimes: BestTimesRepository,
  scope: Scope,
  window: TimeWindow,
  isWhole: IsWhole = () => true,
): Promise<Rows> {
  const profiles = new Map<string, EngagementRow[]>();
  let last = '';
  for await (const { profileId, rows } of bestTimes.read(scope, window, isWhole)) {
    if (rows.length === 0) throw new Error('A page has no rows');
    if (profileId !== last && profiles.has(profileId)) throw new Error('The pages of a profile do not come together');
    last = profileId;
    profiles.set(profileId, [...(profiles.get(profileId) ?? []), ...rows]);
  }
  return inOrder(profiles.values());
}

/** What it has to answer, if these are the posts of the scope. */
export function rowsOf(posts: readonly Post[], { from, to }: TimeWindow, isWhole: IsWhole = () => true): Rows {
  const profiles = new Map<string, Map<unknown, EngagementRow>>();
  for (const { id, profileId, publishedAt, metrics } of posts) {
    if (publishedAt < from || publishedAt > to) continue;
    const rows = profiles.get(profileId) ?? new Map<unknown, EngagementRow>();
    profiles.set(profileId, rows);
    const quarter = quarterOf(publishedAt);
    const start = quarter * QUARTER;
    const isTogether = start >= from && start + QUARTER - 1 <= to && isWhole(quarter);
    const [key, at] = isTogether ? [quarter, start] : [id, publishedAt];
    const row = rows.get(key) ?? { at, posts: 0, engagement: 0 };
    rows.set(key, { at, posts: row.posts + 1, engagement: row.engagement + engagementOf(metrics) });
  }
  return inOrder(Array.from(profiles.values(), (rows) => rows.values()));
}

const inOrder = (profiles: Iterable<Iterable<EngagementRow>>): Rows =>
  Array.from(profiles, (rows) =>
    Array.from(rows, ({ at, posts, engagement }) => [at, posts, engagement] as const).sort(byNumbers),
  ).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function byNumbers(a: readonly number[], b: readonly number[]): number {
  const different = a.findIndex((number, index) => number !== b[index]);
  return (a[different] ?? 0) - (b[different] ?? 0);
}
