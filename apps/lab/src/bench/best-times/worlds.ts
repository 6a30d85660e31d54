import type { ProfilePosts } from '@postshelf/domain';
import type { Random } from '@postshelf/harness';

/** A synthetic world: when a profile posts, how much the hour affects engagement, and how noisy engagement is. */
export interface Kind {
  readonly effect: EffectName;
  /** The factor by which the best hours multiply a post's engagement. */
  readonly size: number;
  readonly habit: keyof typeof HABITS;
  readonly posts: number;
  readonly noise: Noise;
}

/**
 * A number is the standard deviation of the logarithm of engagement. A name stands for a deviation of 0.6 combined with
 * a property of real posts.
 */
type Noise = number | 'small counts' | '30 % zeros' | '1 % viral' | 'growing' | 'four profiles';

type EffectName = keyof typeof EFFECTS;

const HOUR = 60 * 60 * 1000;
const WEEK = 168 * HOUR;
const DAYS = 90;

/** A Sunday at midnight. */
export const NOW = Date.UTC(2026, 9, 4);

const hoursOfWeek = Array.from({ length: 168 }, (_, hour) => hour);

/** How often a profile posts in each hour of the week, relative to the other hours. */
const HABITS = {
  U: hoursOfWeek.map(() => 1),
  /** The profile posts in office hours and evenings, less at weekends, and hardly ever at night. */
  R: hoursOfWeek.map((hour) => {
    const [day, ofDay] = [Math.floor(hour / 24), hour % 24];
    const atWeekend = day === 0 || day === 6 ? 0.6 : 1;
    if (ofDay >= 9 && ofDay <= 17) return atWeekend;
    if (ofDay >= 18 && ofDay <= 22) return 0.6 * atWeekend;
    return (ofDay === 7 || ofDay === 8 || ofDay === 23 ? 0.2 : 0.1) * atWeekend;
  }),
} as const;

type Effect = (random: Random, size: number, habit: readonly number[]) => readonly number[];

/**
 * Functions that return the factor of each hour. The planted good hours are mostly hours in which the profile often
 * posts, because an hour without posts can't be found.
 */
const EFFECTS = {
  none: () => hoursOfWeek.map(() => 1),
  /** Plants two runs of three good hours. */
  runs6: (random, size, habit) => {
    const starts = plant(random, habit, 2, 5);
    return hoursOfWeek.map((hour) => (starts.some((start) => (hour - start + 168) % 168 < 3) ? size : 1));
  },
  lone5: (random, size, habit) => {
    const planted = plant(random, habit, 5, 3);
    return hoursOfWeek.map((hour) => (planted.includes(hour) ? size : 1));
  },
  /** Plants three good hours, the same on all days. */
  hours3: (random, size, habit) => {
    const ofDays = hoursOfWeek.slice(0, 24).map((hour) => sum(habit.filter((_, other) => other % 24 === hour)));
    const planted = plant(random, ofDays, 3, 2);
    return hoursOfWeek.map((hour) => (planted.includes(hour % 24) ? size : 1));
  },
  smooth: (random, size) => wave(random, size),
  rough: (random, size) => {
    const factors = wave(random, size);
    const days = Array.from({ length: 7 }, () => 0.05 * random.normal());
    return factors.map((factor, hour) => factor * Math.exp((days[Math.floor(hour / 24)] ?? 0) + 0.1 * random.normal()));
  },
} satisfies Record<string, Effect>;

/**
 * Draws `count` positions on a circle, with the probabilities in `shares`. Any two positions are at least `apart` steps
 * from each other.
 */
function plant(random: Random, shares: readonly number[], count: number, apart: number): readonly number[] {
  const planted: number[] = [];
  while (planted.length < count) {
    const place = draw(random, shares);
    const isApart = planted.every((other) => {
      const distance = Math.abs(place - other);
      return Math.min(distance, shares.length - distance) >= apart;
    });
    if (isApart) planted.push(place);
  }
  return planted;
}

/** Returns a daily wave plus a weaker weekly one, as factors whose maximum is `size`. */
function wave(random: Random, size: number): readonly number[] {
  const [ofDay, ofWeek] = [random.between(0, 24), random.between(0, 168)];
  const heights = hoursOfWeek.map(
    (hour) => Math.cos((2 * Math.PI * (hour - ofDay)) / 24) + 0.4 * Math.cos((2 * Math.PI * (hour - ofWeek)) / 168),
  );
  const top = Math.max(...heights);
  return heights.map((height) => size ** (height / top));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function draw(random: Random, shares: readonly number[]): number {
  let left = random.between(0, sum(shares));
  const found = shares.findIndex((share) => {
    left -= share;
    return left < 0;
  });
  return found < 0 ? shares.length - 1 : found;
}

export interface World {
  /** True values by hour of the week. 100 is their average, weighted by how often the profile posts in each hour. */
  readonly truth: readonly number[];
  readonly profiles: readonly ProfilePosts[];
}

export function makeWorld(random: Random, { effect, size, habit, posts, noise }: Kind): World {
  const shares = HABITS[habit];
  const factors = EFFECTS[effect](random, size, shares);
  const average = sum(factors.map((factor, hour) => factor * (shares[hour] ?? 0))) / sum(shares);
  const medians = noise === 'four profiles' ? [20, 100, 500, 3000] : [200];
  const profiles = medians.map((median) => {
    const made = Array.from({ length: Math.round(posts / medians.length) }, () => {
      const hour = draw(random, shares);
      const at = instantAt(random, hour);
      return {
        at,
        engagement: engagementOf(random, noise, factors[hour] ?? 1, median, (NOW - at) / (DAYS * 24 * HOUR)),
      };
    });
    return {
      at: Float64Array.from(made, ({ at }) => at),
      engagement: Float64Array.from(made, ({ engagement }) => engagement),
    };
  });
  return { truth: factors.map((factor) => (100 * factor) / average), profiles };
}

/** Returns a time within an hour of the week, on one of the last 90 days. */
function instantAt(random: Random, hour: number): number {
  for (;;) {
    const at = NOW - WEEK * (1 + random.below(Math.ceil(DAYS / 7))) + Math.floor((hour + random.next()) * HOUR);
    if (NOW - at <= DAYS * 24 * HOUR) return at;
  }
}

/**
 * Returns a post's engagement.
 *
 * @param age the age of the post, as a share of the window
 */
function engagementOf(random: Random, noise: Noise, factor: number, median: number, age: number): number {
  if (noise === 'small counts') return poisson(random, 3 * factor * gamma2(random));
  const deviation = typeof noise === 'number' ? noise : 0.6;
  const growth = noise === 'growing' ? 3 ** (1 - age) : 1;
  const count = Math.round(median * factor * growth * Math.exp(deviation * random.normal()));
  if (noise === '30 % zeros' && random.percent(30)) return 0;
  return noise === '1 % viral' && random.percent(1) ? 30 * count : count;
}

/**
 * Returns a gamma variable of shape 2 and mean 1. Poisson counts whose mean contains this factor are negative binomial.
 */
const gamma2 = (random: Random): number => -Math.log((1 - random.next()) * (1 - random.next())) / 2;

/** Draws a Poisson variable by Knuth's algorithm, which suits small means. */
function poisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let [count, product] = [0, random.next()];
  while (product > limit) {
    count += 1;
    product *= random.next();
  }
  return count;
}
