import { describe, expect, test } from 'bun:test';
import { MAX_LISTED_TEXT, type Post, type PostFilter, type Uuid } from '@postshelf/domain';
import { expectSlices } from '../lists.ts';
import { addWorkspace, NOW, newId, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, sampleDetails } from './samples.ts';

const DAY = 86_400_000;

/** Checks lists with their order, filters and slices. */
export function describePostLists(open: OpenStores): void {
  describe('listing', () => {
    const stores = storesOfEachTest(open);
    const everything = { offset: 0, limit: 100 };

    const expectList = async (workspaceId: Uuid, filter: PostFilter, items: readonly Post[]) =>
      expect(await stores.two.posts.list(workspaceId, filter, everything)).toEqual({ items, total: items.length });

    test('sorts by latest publication, then by later id, in slices', async () => {
      const profile = await addProfile(stores.one);
      const lowest = newId();
      const [old, first, second] = [
        await addPost(stores.one, profile, { publishedAt: NOW - 1, updatedAt: NOW + 2 }),
        await addPost(stores.one, profile),
        await addPost(stores.one, profile),
      ];
      const latest = await addPost(stores.one, profile, { id: lowest, publishedAt: NOW + 1 });
      const all = [latest, second, first, old];
      await expectSlices((slice) => stores.two.posts.list(profile.workspaceId, {}, slice), all);
    });

    test('returns the media of each post, in order', async () => {
      const profile = await addProfile(stores.one);
      const media = Array.from({ length: 3 }, () => sampleImage(profile.workspaceId));
      await stores.one.media.insert(media);
      const [a, b, c] = media.map((item) => item.id) as [Uuid, Uuid, Uuid];
      const posts: Post[] = [];
      for (const [age, mediaIds] of [[a, b, c], [], [c, a], [b]].entries()) {
        posts.push(await addPost(stores.one, profile, { publishedAt: NOW - age, mediaIds }));
      }
      await expectList(profile.workspaceId, {}, posts);
    });

    test('selects posts of the workspace by an attached item, with and without other filters', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, second] = [await addProfile(stores.one, id), await addProfile(stores.one, id)];
      const media = Array.from({ length: 2 }, () => sampleImage(id));
      await stores.one.media.insert(media);
      const [a, b] = media.map((item) => item.id) as [Uuid, Uuid];
      const both = await addPost(stores.one, profile, { publishedAt: NOW, mediaIds: [b, a] });
      await addPost(stores.one, profile, { publishedAt: NOW - 1 });
      const one = await addPost(stores.one, second, { publishedAt: NOW - 2, mediaIds: [a] });
      await expectList(id, { mediaId: a }, [both, one]);
      await expectList(id, { mediaId: b }, [both]);
      await expectList(id, { mediaId: a, profileId: second.id }, [one]);
      await expectList(id, { mediaId: a, from: NOW - 1 }, [both]);
      await expectList(id, { mediaId: newId() }, []);
      await expectList((await addWorkspace(stores.one)).id, { mediaId: a }, []);
      expect(await stores.two.posts.list(id, { mediaId: a }, { offset: 1, limit: 1 })).toEqual({
        items: [one],
        total: 2,
      });
    });

    test('returns the beginnings of long texts', async () => {
      const profile = await addProfile(stores.one);
      // The text has a character of four bytes, so that counting bytes instead of characters fails.
      const long = `${'🌞'.repeat(60_000)}the end`;
      const posts: Post[] = [];
      for (let age = 0; age < 30; age += 1) {
        posts.push(await addPost(stores.one, profile, { publishedAt: NOW - age, text: age === 7 ? 'short' : long }));
      }
      const { items, total, cut } = await stores.two.posts.list(profile.workspaceId, {}, everything);
      expect(total).toBe(30);
      expect(items.map(({ text: _, ...rest }) => rest)).toEqual(posts.map(({ text: _, ...rest }) => rest));
      expect(items[7]?.text).toBe('short');
      expect(await stores.two.posts.find(items[0]?.id ?? newId())).toEqual(posts[0] ?? null);
      expect([...(cut ?? [])].sort()).toEqual(
        posts
          .filter(({ text }) => text === long)
          .map(({ id }) => id)
          .sort(),
      );
      const shown = '🌞'.repeat(MAX_LISTED_TEXT);
      expect(items.every(({ text }) => text === shown || text === 'short')).toBe(true);
    });

    test('selects by workspace and by profile', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, other, theirs] = [
        await addProfile(stores.one, id),
        await addProfile(stores.one, id),
        await addProfile(stores.one),
      ];
      const mine = await addPost(stores.one, profile);
      const ofOther = await addPost(stores.one, other);
      const foreign = await addPost(stores.one, theirs);
      await expectList(id, {}, [ofOther, mine]);
      await expectList(id, { profileId: profile.id }, [mine]);
      await expectList(id, { profileId: theirs.id }, []);
      await expectList(id, { profileId: newId() }, []);
      await expectList(theirs.workspaceId, {}, [foreign]);
      await expectList(newId(), {}, []);
    });

    test('selects from and to a time, both included, with a profile or without', async () => {
      const profile = await addProfile(stores.one);
      const posts: Post[] = [];
      for (let age = 0; age < 5; age += 1) {
        posts.push(await addPost(stores.one, profile, { publishedAt: NOW - age }));
      }
      for (const more of [{}, { profileId: profile.id }]) {
        const list = (filter: PostFilter, items: readonly Post[]) =>
          expectList(profile.workspaceId, { ...more, ...filter }, items);
        await list({ from: NOW - 3 }, posts.slice(0, 4));
        await list({ to: NOW - 3 }, posts.slice(3));
        await list({ from: NOW - 3, to: NOW - 1 }, posts.slice(1, 4));
        await list({ from: NOW - 2, to: NOW - 2 }, posts.slice(2, 3));
        await list({ from: NOW - 1, to: NOW - 2 }, []);
        await list({ from: NOW + 1 }, []);
      }
    });

    test('counts within any time range, even with parts of days, after any changes of posts', async () => {
      const { id } = await addWorkspace(stores.one);
      const [profile, other] = [await addProfile(stores.one, id), await addProfile(stores.one, id)];
      const midnight = Math.floor(NOW / DAY) * DAY;
      const times = [-DAY - 1, -DAY, -DAY / 3, -1, 0, 1, DAY - 1, DAY, DAY + (2 * DAY) / 3].map((at) => midnight + at);
      const said = times.flatMap((publishedAt) =>
        [profile, profile, other].map((of) => sampleDetails(of, { publishedAt })),
      );
      await stores.one.posts.upsert(said, NOW);
      const expectTotals = async (): Promise<void> => {
        for (const [index, from] of [undefined, ...times].entries()) {
          for (const to of [...times.slice(Math.max(0, index - 1)), undefined]) {
            const within = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
            const profileId = index % 2 === 0 ? profile.id : undefined;
            const filter = { ...within, ...(profileId && { profileId }) };
            const wanted = said.filter(
              (post) =>
                (profileId === undefined || post.profileId === profileId) &&
                post.publishedAt >= (from ?? 0) &&
                post.publishedAt <= (to ?? Infinity),
            );
            const { total } = await stores.two.posts.list(id, filter, { offset: 0, limit: 1 });
            expect({ filter, total }).toEqual({ filter, total: wanted.length });
          }
        }
      };
      await expectTotals();
      // Some posts are moved to another day, some to another time of the same day, and some are deleted.
      for (const [nth, details] of said.entries()) {
        if (nth % 3 === 0) said[nth] = { ...details, publishedAt: times[(nth * 2) % times.length] ?? NOW };
      }
      await stores.one.posts.upsert(said, NOW + 1);
      for (const gone of said.splice(3, 9)) {
        const post = await stores.one.posts.findExternal(gone.profileId, gone.externalId);
        if (post) await stores.one.posts.delete(post.id);
      }
      await expectTotals();
      expect((await stores.two.posts.list((await addWorkspace(stores.one)).id, { from: 0 }, everything)).total).toBe(0);
    });
  });
}
