import {
  type BestTimesRepository,
  engagementOf,
  type Post,
  QUARTER,
  quarterOf,
  type TimeWindow,
} from '@postshelf/domain';

/** What a visitor hears of one profile, by quarter. */
interface ToldProfile {
  /** Quarter, posts, sum of engagement; in the quarters' order. */
  readonly whole: readonly (readonly [number, number, number])[];
  /** Instant, engagement; in the instants' order. */
  readonly posts: readonly (readonly [number, number])[];
}

export type TakesWhole = (quarter: number) => boolean;
type Scope = Parameters<BestTimesRepository['visit']>[0];

/** What the log tells, profile by profile, in an order that says nothing about the log's. */
export async function told(
  log: BestTimesRepository,
  scope: Scope,
  window: TimeWindow,
  takesWhole: TakesWhole = () => true,
): Promise<readonly ToldProfile[]> {
  const profiles: ToldProfile[] = [];
  const whole: [number, number, number][] = [];
  const posts: [number, number][] = [];
  await log.visit(scope, window, {
    takesWhole,
    quarter: (...heard) => void whole.push(heard),
    post: (...heard) => void posts.push(heard),
    endProfile: () =>
      void profiles.push({ whole: whole.splice(0).sort(byNumbers), posts: posts.splice(0).sort(byNumbers) }),
  });
  if (whole.length + posts.length > 0) throw new Error('The last profile was not ended');
  return profiles.sort(byText);
}

interface Gathered {
  readonly whole: Map<number, [number, number, number]>;
  readonly posts: [number, number][];
}

/** What it has to tell, if these are the posts of the scope. */
export function toTell(
  posts: readonly Post[],
  { from, to }: TimeWindow,
  takesWhole: TakesWhole = () => true,
): readonly ToldProfile[] {
  const profiles = new Map<string, Gathered>();
  for (const { profileId, publishedAt, metrics } of posts) {
    if (publishedAt < from || publishedAt > to) continue;
    const profile: Gathered = profiles.get(profileId) ?? { whole: new Map(), posts: [] };
    profiles.set(profileId, profile);
    const quarter = quarterOf(publishedAt);
    const isWithin = quarter * QUARTER >= from && (quarter + 1) * QUARTER - 1 <= to;
    const engagement = engagementOf(metrics);
    if (isWithin && takesWhole(quarter)) {
      const [, count, sum] = profile.whole.get(quarter) ?? [quarter, 0, 0];
      profile.whole.set(quarter, [quarter, count + 1, sum + engagement]);
    } else profile.posts.push([publishedAt, engagement]);
  }
  return Array.from(profiles.values(), (profile) => ({
    whole: Array.from(profile.whole.values()).sort(byNumbers),
    posts: profile.posts.sort(byNumbers),
  })).sort(byText);
}

function byNumbers(a: readonly number[], b: readonly number[]): number {
  const different = a.findIndex((number, index) => number !== b[index]);
  return (a[different] ?? 0) - (b[different] ?? 0);
}

function byText(a: ToldProfile, b: ToldProfile): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
