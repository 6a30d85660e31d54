import { learntWindow, localHours, type MeasuredPost, type Uuid } from '@postshelf/domain';
import type { Random } from '@postshelf/harness';

export const NOW = Date.UTC(2026, 9, 5);

/** Hours of the week. */
export const WEEK = Array.from({ length: 168 }, (_, hour) => hour);

const POSTS = 500;
const MEDIAN = 200;
const PROFILE = '0190a1b2-0000-7000-8000-000000000001' as Uuid;

/** The factor of an hour of the week. */
export type Effect = (hour: number) => number;

const hours = localHours('UTC');

/** Posts at any time of a year, whose engagement is log-normal. */
export function makeWorld(random: Random, noise: number, effect: Effect): readonly MeasuredPost[] {
  const { from, to } = learntWindow(NOW);
  return Array.from({ length: POSTS }, () => {
    const at = Math.floor(random.between(from, to));
    const engagement = Math.round(MEDIAN * effect(hours.at(at)) * Math.exp(noise * random.normal()));
    return { profileId: PROFILE, at, engagement };
  });
}

/** A wave through the day of 5 to 20 %, days that differ by some 5 %, and hours that differ by 6 % of their own. */
export function smoothEffect(random: Random): Effect {
  const [height, peak] = [random.between(0.05, 0.2), random.between(0, 24)];
  const days = Array.from({ length: 7 }, () => 0.05 * random.normal());
  const own = WEEK.map(() => 0.06 * random.normal());
  return (hour) => {
    const wave = height * Math.cos((2 * Math.PI * ((hour % 24) - peak)) / 24);
    return Math.exp(wave + (days[Math.floor(hour / 24)] ?? 0) + (own[hour] ?? 0));
  };
}
