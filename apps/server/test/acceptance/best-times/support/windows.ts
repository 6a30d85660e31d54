import type { Random } from '@postshelf/harness';
import type { CountedPost } from './oracle.ts';
import { randomInstant, randomRfc3339 } from './random-posts.ts';
import { instantOf, localDateTime, localTime } from './temporal.ts';

/** One end of a window: its text in a query, and how to compare posts with it. */
interface End {
  readonly text: string;
  /** The position of a post: below 0 before this end of the window, 0 at it, above 0 after it. */
  compare(post: CountedPost): number;
}

/** `from` and `to` of a query, and which posts are between them. */
interface Window {
  readonly from: string;
  readonly to: string;
  holds(post: CountedPost): boolean;
}

/** `Y-m-d`: "a date stands for that whole day in the workspace's time zone", so the post's own local date decides. */
function dateEnd(zone: string, instant: number): End {
  const text = localTime(zone, instant).date;
  return { text, compare: (post) => (post.local.date < text ? -1 : post.local.date > text ? 1 : 0) };
}

/** The workspace's local time `Y-m-d H:i:s`; undefined if it occurs twice, which other tests cover. */
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

/** A random window between two instants, with ends in any form, often close to a change of the clocks. */
export function randomWindow(random: Random, zone: string, from: number, to: number): Window {
  const one = randomInstant(random, zone, from, to);
  const other = random.chance(0.2) ? one + random.whole(0, 7_200_000) : randomInstant(random, zone, from, to);
  const start = randomEnd(random, zone, Math.min(one, other));
  const end = randomEnd(random, zone, Math.max(one, other));
  const holds = (post: CountedPost) => start.compare(post) >= 0 && end.compare(post) <= 0;
  return { from: start.text, to: end.text, holds };
}
