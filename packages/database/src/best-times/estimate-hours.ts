import {
  type BestTimesScope,
  type Estimate,
  estimate,
  type Lesson,
  localHours,
  MAX_ESTIMATED_POSTS,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Computation, Scan } from '../store/store.ts';
import { ENGAGEMENT, IS_COUNTED } from './engagement.ts';
import { PROFILES, profileIds } from './profile-ids.ts';

/** Maximum number of profiles; further profiles are ignored. */
const MAX_PROFILES = 10_000;

/** Implements `BestTimesRepository.estimate`. */
export const estimateHours: Scan<[BestTimesScope, Lesson], Estimate> = {
  name: 'estimateHours',
  async run({ read, dialect, compute }, scope, { window, until, max, zone, excluded }) {
    const ids = await read((queries) => profileIds(queries, scope, null, MAX_PROFILES));
    const limit = Math.min(max, Math.floor(MAX_ESTIMATED_POSTS / Math.max(1, ids.length)));
    const texts: Texts[] = [];
    let leftOut = 0;
    for (let first = 0; first < ids.length; first += PROFILES) {
      await read(async (queries) => {
        for (const id of ids.slice(first, first + PROFILES)) {
          const read = await readNewest(queries, dialect, id, { from: window.from, to: window.to, until, limit });
          leftOut += read.leftOut;
          if (read.texts !== null) texts.push(read.texts);
        }
      });
    }
    return compute(estimateFromTexts, texts, zone, excluded, leftOut);
  },
};

/** Two numbers for each of a profile's posts, as comma-separated texts; both texts are in the same order. */
interface Texts {
  readonly instants: string;
  readonly engagement: string;
}

interface Newest {
  readonly from: number;
  readonly to: number;
  readonly until: number;
  readonly limit: number;
}

/**
 * Reads a profile's newest posts as two texts. With one row per post, the driver would create an object for each post.
 * With a single text that contains both numbers of each post, PostgreSQL would take 50 % longer.
 */
async function readNewest(
  queries: Queries,
  { whileWanted = sql<boolean>`true`, learnedPosts }: Dialect,
  profileId: Uuid,
  { from, to, until, limit }: Newest,
): Promise<{ readonly texts: Texts | null; readonly leftOut: number }> {
  const countBetween = (after: number, last: number) => sql<number>`(select count(*) from ${learnedPosts}
    where profile_id = ${profileId} and published_at > ${after} and published_at <= ${last} and ${IS_COUNTED} and ${whileWanted})`;
  const latest = Math.min(to, until);
  const { rows } = await sql<{ [Name in keyof Texts]: string | null } & { posts: number; young: number }>`
    select string_agg(cast(published_at as text), ',') as instants, string_agg(cast(engagement as text), ',') as engagement,
      count(*) as posts,
      ${countBetween(Math.max(until, from - 1), to)} as young
    from (select published_at, ${ENGAGEMENT} as engagement from ${learnedPosts}
      where profile_id = ${profileId} and published_at >= ${from} and published_at <= ${latest}
        and ${IS_COUNTED} and ${whileWanted}
      order by published_at desc limit ${limit}) as newest`.execute(queries);
  const [{ instants, engagement, posts, young } = { instants: null, engagement: null, posts: 0, young: 0 }] = rows;
  const texts = instants === null || engagement === null ? null : { instants, engagement };
  if (texts === null || posts < limit) return { texts, leftOut: young };
  const { oldest, times } = endOf(texts.instants);
  const upTo = await sql<{ posts: number }>`select ${countBetween(from - 1, oldest)} as posts`.execute(queries);
  return { texts, leftOut: young + (upTo.rows[0]?.posts ?? times) - times };
}

/** Returns the last number of a list, and how many numbers at the list's end are equal to it. */
function endOf(numbers: string): { readonly oldest: number; readonly times: number } {
  const list = `,${numbers}`;
  const last = list.slice(list.lastIndexOf(','));
  let times = 0;
  for (let end = list.length; list.endsWith(last, end); end -= last.length) times += 1;
  return { oldest: Number(last.slice(1)), times };
}

/** Computes an estimate. This takes some 20 ms, or more for several profiles. */
export const estimateFromTexts: Computation<[readonly Texts[], string, readonly number[], number], Estimate> = {
  name: 'estimateFromTexts',
  run(texts, zone, excluded, leftOut) {
    const posts = texts.map(({ instants, engagement }) => ({
      at: numbersOf(instants),
      engagement: numbersOf(engagement),
    }));
    const found = estimate(posts, localHours(zone), new Set(excluded));
    return { ...found, leftOut: found.leftOut + leftOut };
  },
};

const ZERO = '0'.charCodeAt(0);

/** Reads comma-separated whole numbers, without making a string for each of them. */
function numbersOf(text: string): Float64Array {
  const numbers: number[] = [];
  let number = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO) number = number * 10 + code - ZERO;
    else {
      numbers.push(number);
      number = 0;
    }
  }
  numbers.push(number);
  return Float64Array.from(numbers);
}
