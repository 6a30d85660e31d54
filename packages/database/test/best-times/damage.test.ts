import { describe, expect, test } from 'bun:test';
import type { Profile, Uuid } from '@postshelf/domain';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { NOW } from '@postshelf/testing/contracts/samples';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/index.ts';
import * as plannedPosts from '../../src/migrations/sqlite/0035-planned-posts.ts';
import { dialects, type Opened, type OpenedStore, openerOf } from '../support/dialects.ts';

const DAY = 24 * 60 * 60 * 1000;
const TODAY = Math.floor(NOW / DAY);

interface World {
  readonly database: Database;
  readonly store: OpenedStore;
  readonly profile: Profile;
  readonly other: Profile;
}

/** Runs a test on two profiles with three posts a day, on consecutive days and on days far from them. */
const withPosts = async (open: () => Promise<Opened>, test: (world: World) => Promise<void>): Promise<void> => {
  const { one: database, store, close } = await open();
  try {
    const profile = await addProfile(database);
    const other = await addProfile(database, profile.workspaceId);
    for (const each of [profile, other]) {
      const days = Array.from({ length: 100 }, (_, index) => (index < 95 ? TODAY - index : TODAY - 100 * index));
      const posts = days.flatMap((day) =>
        [0, 1, 40 * 15 * 60 * 1000].map((at) =>
          sampleDetails(each, { publishedAt: day * DAY + at, metrics: { likes: day % 97 } }),
        ),
      );
      await database.posts.upsert(posts, NOW);
    }
    await test({ database, store, profile, other });
  } finally {
    await close();
  }
};

const kept = async ({ store }: World) =>
  store.reads.selectFrom('engagement_days').selectAll().orderBy('profile_id').orderBy('day').execute();

const DAMAGES: Readonly<Record<string, readonly [corrected: number, (profileId: Uuid) => ReturnType<typeof sql>]>> = {
  'no rows': [-1, () => sql`delete from engagement_days`],
  'a day gone': [1, (id) => sql`delete from engagement_days where profile_id = ${id} and day = ${TODAY - 3}`],
  'other counts': [
    2,
    (id) => sql`update engagement_days set quarters = ${DAMAGED}
      where profile_id = ${id} and day in (${TODAY}, ${TODAY - 94})`,
  ],
  'invalid bytes': [
    95,
    (id) => sql`update engagement_days set quarters = ${ZEROES} where profile_id = ${id} and day > ${TODAY - 95}`,
  ],
  'rows for days without posts': [
    3,
    (id) => sql`insert into engagement_days (profile_id, day, quarters)
      values (${id}, 1, ${DAMAGED}), (${id}, ${TODAY + 1}, ${DAMAGED}), (${id}, 9000000, ${DAMAGED})`,
  ],
  'metrics changed without updating it': [
    1,
    (id) => sql`update posts set likes = likes + 1 where profile_id = ${id} and published_at = ${TODAY * DAY}`,
  ],
  'posts removed without updating it': [
    1,
    (id) => sql`delete from posts where profile_id = ${id} and published_at >= ${TODAY * DAY}`,
  ],
};
const ZEROES = Buffer.alloc(26);
const DAMAGED = Buffer.from('0a000000070000000000000840'.padEnd(26, '0'), 'hex');

describe.each(dialects)('the roll-up of best times over $name', (dialect) => {
  const open = openerOf(dialect);

  test('is repaired by a rebuild, and a second one changes nothing', () =>
    withPosts(open, async (world) => {
      const { database, store, profile } = world;
      for (const [what, [corrected, damage]] of Object.entries(DAMAGES)) {
        const before = await kept(world);
        expect(before.length).toBeGreaterThan(190);
        await store.write((transaction) => damage(profile.id).execute(transaction));
        const first = await database.bestTimes.rebuild();
        const { total } = await database.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1 });
        const expected = { profiles: 2, posts: total, corrected: corrected < 0 ? before.length : corrected };
        expect({ what, ...first }).toEqual({ what, ...expected });
        expect(await database.bestTimes.rebuild()).toEqual({ ...first, corrected: 0 });
        if (!what.includes('without updating it')) expect(await kept(world)).toEqual(before);
      }
    }));

  test('cannot be read while a day is damaged, and the error names the command that repairs it', () =>
    withPosts(open, async ({ database, store, profile }) => {
      await store.write((transaction) => sql`update engagement_days set quarters = ${ZEROES}`.execute(transaction));
      const scope = { workspaceId: profile.workspaceId, profileId: profile.id };
      const read = database.bestTimes.scores(scope, { from: 0, to: NOW }, 'UTC');
      await expect(read).rejects.toThrow('postshelf analytics rebuild');
      const put = database.posts.upsert([sampleDetails(profile)], NOW);
      await expect(put).rejects.toThrow('postshelf analytics rebuild');
      await database.bestTimes.rebuild();
      expect(await database.posts.upsert([sampleDetails(profile)], NOW)).toEqual(['created']);
    }));

  test('counts posts that were planned before the migration, as it has them', () =>
    withPosts(open, async ({ database, store, profile }) => {
      const planned = { publishedAt: (TODAY + 5) * DAY };
      await database.posts.upsert([sampleDetails(profile, planned)], NOW);
      expect((await database.bestTimes.rebuild()).corrected).toBe(0);
      await store.write((transaction) => plannedPosts.up(transaction as unknown as Kysely<unknown>));
      expect((await database.bestTimes.rebuild()).corrected).toBe(1);
      await database.posts.upsert([sampleDetails(profile, planned)], NOW);
      expect((await database.bestTimes.rebuild()).corrected).toBe(0);
    }));
});
