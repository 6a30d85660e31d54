import {
  type BestTimesScope,
  type Estimate,
  estimate,
  type Lesson,
  localHours,
  type ProfilePosts,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Computation, Scan } from '../store/store.ts';
import { ENGAGEMENT, IS_COUNTED } from './counted.ts';
import { profileIds } from './profile-ids.ts';

/** Posts of one estimate, whose texts take some 25 bytes each; profiles share them equally. */
const MOST_POSTS = 200_000;

/** Further profiles are left out. */
const MOST_PROFILES = 10_000;

/** Profiles read in one transaction, as others need the connection. */
const PROFILES = 10;

/** `BestTimesRepository.estimate`. */
export const estimateHours: Scan<[BestTimesScope, Lesson], Estimate> = {
  name: 'estimateHours',
  async run({ read, dialect, compute }, scope, { window, until, most, zone, excluded }) {
    const ids = await read((queries) => profileIds(queries, scope, null, MOST_PROFILES));
    const limit = Math.min(most, Math.floor(MOST_POSTS / Math.max(1, ids.length)));
    const texts: string[] = [];
    let leftOut = 0;
    for (let first = 0; first < ids.length; first += PROFILES) {
      await read(async (queries) => {
        for (const id of ids.slice(first, first + PROFILES)) {
          const read = await readNewest(queries, dialect, id, { from: window.from, to: window.to, until, limit });
          leftOut += read.leftOut;
          if (read.text !== null) texts.push(read.text);
        }
      });
    }
    return compute(estimateFromTexts, texts, zone, excluded, leftOut);
  },
};

interface Newest {
  readonly from: number;
  readonly to: number;
  readonly until: number;
  readonly limit: number;
}

/** One text, as a driver makes an object of each row otherwise: `PUBLISHED_AT ENGAGEMENT,` for each post. */
async function readNewest(
  queries: Queries,
  { whileWanted = sql<boolean>`true`, learnedPosts }: Dialect,
  profileId: Uuid,
  { from, to, until, limit }: Newest,
): Promise<{ readonly text: string | null; readonly leftOut: number }> {
  const countBetween = (after: number, last: number) => sql<number>`(select count(*) from ${learnedPosts}
    where profile_id = ${profileId} and published_at > ${after} and published_at <= ${last} and ${IS_COUNTED} and ${whileWanted})`;
  const latest = Math.min(to, until);
  const { rows } = await sql<{ text: string | null; posts: number; young: number }>`
    select string_agg(published_at || ' ' || engagement, ',') as text, count(*) as posts,
      ${countBetween(Math.max(until, from - 1), to)} as young
    from (select published_at, ${ENGAGEMENT} as engagement from ${learnedPosts}
      where profile_id = ${profileId} and published_at >= ${from} and published_at <= ${latest}
        and ${IS_COUNTED} and ${whileWanted}
      order by published_at desc limit ${limit}) as newest`.execute(queries);
  const [{ text, posts, young } = { text: null, posts: 0, young: 0 }] = rows;
  if (posts < limit) return { text, leftOut: young };
  const all = await sql<{ posts: number }>`select ${countBetween(from - 1, latest)} as posts`.execute(queries);
  return { text, leftOut: young + (all.rows[0]?.posts ?? posts) - posts };
}

/** Takes some 20 ms, or more from several profiles. */
export const estimateFromTexts: Computation<[readonly string[], string, readonly number[], number], Estimate> = {
  name: 'estimateFromTexts',
  run(texts, zone, excluded, leftOut) {
    const found = estimate(texts.map(postsOf), localHours(zone), new Set(excluded));
    return { ...found, leftOut: found.leftOut + leftOut };
  },
};

const [ZERO, COMMA] = ['0'.charCodeAt(0), ','.charCodeAt(0)];

/** Reads what {@link readNewest} writes: numbers, and one character after each but the last. */
function postsOf(text: string): ProfilePosts {
  const instants: number[] = [];
  const engagement: number[] = [];
  let number = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO) number = number * 10 + code - ZERO;
    else {
      (code === COMMA ? engagement : instants).push(number);
      number = 0;
    }
  }
  engagement.push(number);
  return { at: Float64Array.from(instants), engagement: Float64Array.from(engagement) };
}
