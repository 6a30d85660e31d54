import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Recount, Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import { lockProfiles } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import { profileIds } from './profile-ids.ts';
import { type ComparedDays, compareDays, nextDay } from './recount.ts';
import { storeDays } from './store-days.ts';

const PROFILES = 100;

/** In one step, without a lock. */
const DAYS = 90;

/** The most posts that one write transaction counts, as other writes wait; a day with more is counted whole. */
const POSTS = 20_000;

/**
 * Compares every stored day with its posts, without a lock, and recounts wrong days. Concurrent changes are counted
 * correctly.
 */
export async function rebuild(store: Store, onProfile?: (done: number) => void): Promise<Recount> {
  const total = { profiles: 0, posts: 0, corrected: 0 };
  for await (const profileId of everyProfile(store)) {
    for await (const { posts, corrected } of rebuildProfile(store, profileId)) {
      total.posts += posts;
      total.corrected += corrected;
      await nextTurn();
    }
    total.profiles += 1;
    onProfile?.(total.profiles);
  }
  return total;
}

async function* everyProfile(store: Store): AsyncGenerator<Uuid, void> {
  let ids = await store.read((queries) => profileIds(queries, null, null, PROFILES));
  for (let last = ids.at(-1); last !== undefined; last = ids.at(-1)) {
    yield* ids;
    ids = await store.read((queries) => profileIds(queries, null, last, PROFILES));
  }
}

/** In steps of {@link DAYS} days; days without posts and rows are skipped. */
async function* rebuildProfile(
  store: Store,
  profileId: Uuid,
): AsyncGenerator<Pick<Recount, 'posts' | 'corrected'>, void> {
  for (let from = 0; ; ) {
    const found = await store.read(async (snapshot) => {
      const first = await nextDay(snapshot, profileId, from);
      return first === null ? null : { first, ...(await compareDays(snapshot, profileId, first, first + DAYS)) };
    });
    if (!found) return;
    let corrected = 0;
    for (const { first, last } of stretchesToCorrect(found)) {
      corrected += await store.write((transaction) => correct(transaction, profileId, first, last));
    }
    yield { posts: sum(found.posts.values()), corrected };
    from = found.first + DAYS;
  }
}

/** Each with as many posts as one transaction may count. */
function stretchesToCorrect({ wrong, posts }: ComparedDays): readonly { first: number; last: number }[] {
  const stretches: { first: number; last: number }[] = [];
  for (const { day } of wrong) {
    const latest = stretches.at(-1);
    const between = [...posts].filter(([other]) => latest && other >= latest.first && other <= day);
    if (latest && sum(between.map(([, count]) => count)) <= POSTS) latest.last = day;
    else stretches.push({ first: day, last: day });
  }
  return stretches;
}

async function correct(queries: Queries, profileId: Uuid, first: number, last: number): Promise<number> {
  await lockProfiles(queries, [profileId]);
  const { wrong } = await compareDays(queries, profileId, first, last + 1);
  await storeDays(queries, wrong);
  return wrong.length;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
