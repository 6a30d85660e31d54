import type { Random } from '@postshelf/harness';
import type { Told } from './oracle.ts';
import { randomInstant, randomRfc3339 } from './random-posts.ts';
import { instantOf, localDateTime, localTime } from './temporal.ts';

/** One end of a window, as a query says it and as a post stands to it. */
interface End {
  readonly text: string;
  /** How far the post lies behind the end: below 0 before it, 0 at it. */
  compare(post: Told): number;
}

/** `from` and `to` of a query, and which posts lie between them. */
interface Window {
  readonly from: string;
  readonly to: string;
  holds(post: Told): boolean;
}

/** `Y-m-d`: "a date stands for that whole day in the workspace's time zone", so the post's own local date decides. */
function dateEnd(zone: string, instant: number): End {
  const text = localTime(zone, instant).date;
  return { text, compare: (post) => (post.local.date < text ? -1 : post.local.date > text ? 1 : 0) };
}

/** `Y-m-d H:i:s` of the workspace's clocks; undefined where they show it twice, which is for other tests. */
function dateTimeEnd(zone: string, instant: number): End | undefined {
  const whole = Math.floor(instant / 1000) * 1000;
  const text = localDateTime(zone, whole);
  return instantOf(zone, text) === whole ? { text, compare: (post) => post.at - whole } : undefined;
}

const rfc3339End = (random: Random, instant: number): End => ({
  text: randomRfc3339(random, instant),
  compare: (post) => post.at - instant,
});

function randomEnd(random: Random, zone: string, instant: number): End {
  const kind = random.next();
  if (kind < 0.35) return dateEnd(zone, instant);
  if (kind < 0.65) return dateTimeEnd(zone, instant) ?? rfc3339End(random, instant);
  return rfc3339End(random, instant);
}

/** A window between two instants, its ends in any form, as likely as not close to where clocks change. */
export function randomWindow(random: Random, zone: string, from: number, to: number): Window {
  const one = randomInstant(random, zone, from, to);
  const other = random.chance(0.2) ? one + random.whole(0, 7_200_000) : randomInstant(random, zone, from, to);
  const start = randomEnd(random, zone, Math.min(one, other));
  const end = randomEnd(random, zone, Math.max(one, other));
  const holds = (post: Told) => start.compare(post) >= 0 && end.compare(post) <= 0;
  return { from: start.text, to: end.text, holds };
}
