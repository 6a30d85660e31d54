import { emptyProfileWeek, HOURS_PER_WEEK, type ProfileWeek } from '@postshelf/domain';
import type { Random } from '@postshelf/harness';

const HOURS_PER_DAY = 24;

/** The true value of a post at each hour of the week, as a multiple of the average over all hours. */
export type Curve = readonly number[];

/** How profiles' curves differ from one another. */
export const WORLDS = {
  /** People sleep at night, and days resemble each other. */
  'days alike': (random: Random) => waves(random, { sleep: true, week: 0.2, apart: 0.15 }),
  /** Each day of the week differs, and its curve is smooth. */
  'days apart': (random: Random) => waves(random, { sleep: false, week: 0.3, apart: 0.4 }),
  /** A few single hours have twice the value of the rest, so that curves aren't smooth. */
  'lone hours': (random: Random) => loneHours(random),
} as const satisfies Record<string, (random: Random) => Curve>;

interface Shape {
  /** Whether the day's own wave is the strongest, with its crest between 11 and 20 o'clock. */
  readonly sleep: boolean;
  /** The strength of the waves that make one day better than another. */
  readonly week: number;
  /** The strength of waves whose period isn't a part of a day, so that each day's curve differs. */
  readonly apart: number;
}

function waves(random: Random, { sleep, week, apart }: Shape): Curve {
  const crest = random.between(11, 20);
  const day = sleep ? [{ turns: 7, strength: 0.5, crest }] : [];
  const rest = [
    ...[14, 21].map((turns) => ({ turns, strength: 0.2 })),
    ...[1, 2].map((turns) => ({ turns, strength: week })),
    ...[5, 6, 8, 9, 12, 16].map((turns) => ({ turns, strength: apart })),
  ].map(({ turns, strength }) => {
    return { turns, strength: strength * random.between(0.3, 1), crest: random.between(0, HOURS_PER_WEEK) };
  });
  const logarithm = (hour: number): number =>
    [...day, ...rest].reduce(
      (sum, wave) => sum + wave.strength * Math.cos((2 * Math.PI * wave.turns * (hour - wave.crest)) / HOURS_PER_WEEK),
      0,
    );
  return ofMeanOne(Array.from({ length: HOURS_PER_WEEK }, (_, hour) => Math.exp(logarithm(hour))));
}

function loneHours(random: Random): Curve {
  const lone = new Set(Array.from({ length: 8 }, () => daytime(random)));
  return ofMeanOne(Array.from({ length: HOURS_PER_WEEK }, (_, hour) => (lone.has(hour) ? 2 : 1)));
}

function ofMeanOne(worth: readonly number[]): Curve {
  const mean = worth.reduce((sum, value) => sum + value, 0) / worth.length;
  return worth.map((value) => value / mean);
}

/** Profiles post from 8 to 22 o'clock. */
const DAYTIME = { first: 8, hours: 14 };

/** Whether an hour of the week, given by its number, is one at which profiles post. */
export const isDaytime = (_: unknown, hour: number): boolean => {
  const { first, hours } = DAYTIME;
  return hour % HOURS_PER_DAY >= first && hour % HOURS_PER_DAY < first + hours;
};

const daytime = (random: Random): number =>
  random.below(7) * HOURS_PER_DAY + DAYTIME.first + random.below(DAYTIME.hours);

/** When a profile posts, in hours of the week. */
type Habit = (random: Random) => number;

/** Two posts of three are within an hour of a few fixed times of the week; the others at any time between 8 and 22. */
function makeHabit(random: Random): Habit {
  const fixed = Array.from({ length: 3 + random.below(6) }, () => daytime(random));
  return (source) => {
    if (source.next() >= 2 / 3) return daytime(source);
    const hour = (fixed[source.below(fixed.length)] ?? 0) + source.below(3) - 1;
    return isDaytime(undefined, hour) ? hour : daytime(source);
  };
}

/** Standard deviation of the logarithm of a post's random factor: half of all posts are below 61% of the mean. */
const LUCK = 1;
/** One post in fifty goes viral. */
const VIRAL = { chance: 0.02, least: 5, most: 30 };

/** Makes posts of one profile: the curve's values times a random factor, as whole numbers of engagements. */
export function makePosts(random: Random, curve: Curve, posts: number): ProfileWeek {
  const habit = makeHabit(random);
  // From profiles with a handful of readers to profiles with thousands.
  const audience = Math.exp(random.between(Math.log(10), Math.log(5000)));
  const week = emptyProfileWeek();
  for (let nth = 0; nth < posts; nth++) {
    const hour = habit(random);
    const luck = Math.exp(LUCK * random.normal() - LUCK ** 2 / 2);
    const viral = random.next() < VIRAL.chance ? random.between(VIRAL.least, VIRAL.most) : 1;
    const engagement = Math.round(audience * (curve[hour] ?? 1) * luck * viral);
    week.posts[hour] = (week.posts[hour] ?? 0) + 1;
    week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
  }
  return week;
}
