import { describe, expect } from 'bun:test';
import { testRace } from '../race.ts';
import { NOW, sampleImage } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, sampleDetails, samplePost } from './samples.ts';

const NO_MEDIA = { conflict: 'media' as const, refusals: new Map([[0, 'unknown' as const]]) };

export function describePostRaces(open: OpenStores): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    testRace(stores, 'keep exactly one of two posts with the same external id', async (race) => {
      const profile = await addProfile(stores.one);
      const [first, second] = [samplePost(profile, { externalId: 'x' }), samplePost(profile, { externalId: 'x' })];
      const answers = await race(
        ({ posts }) => posts.insert(first),
        ({ posts }) => posts.insert(second),
      );
      const refused = { conflict: 'external_id_taken' } as const;
      expect(answers).toEqual(answers[0] === null ? [null, refused] : [refused, null]);
      const winner = answers[0] === null ? first : second;
      expect(await stores.two.posts.list(profile.workspaceId, {}, { offset: 0, limit: 2 })).toEqual({
        items: [winner],
        total: 1,
      });
    });

    testRace(stores, 'create a post that both upsert, and update it once', async (race) => {
      const profile = await addProfile(stores.one);
      const put = (likes: number) => (of: Stores) =>
        of.posts.upsert([sampleDetails(profile, { externalId: 'x', metrics: { likes } })], NOW);
      const answers = await race(put(1), put(2));
      expect(answers.flat().toSorted()).toEqual(['created', 'updated'] as never);
      const likes = (await stores.two.posts.findExternal(profile.id, 'x'))?.metrics.likes;
      expect(likes).toBe(answers[0][0] === 'updated' ? 1 : 2);
    });

    testRace(stores, 'delete media or attach it to a post, but never both', async (race) => {
      const profile = await addProfile(stores.one);
      const [item, later] = [sampleImage(profile.workspaceId), sampleImage(profile.workspaceId)];
      await stores.one.media.insert([item, later]);
      const post = samplePost(profile, { mediaIds: [item.id] });
      const answers = await race(
        ({ media }) => media.delete(item.id),
        ({ posts }) => posts.insert(post),
      );
      const isItemRemoved = answers[0] !== 'in_use';
      expect<unknown>(answers).toEqual(isItemRemoved ? [[item.fullName], NO_MEDIA] : ['in_use', null]);
      expect(await stores.two.posts.find(post.id)).toEqual(isItemRemoved ? null : post);
      expect((await stores.two.media.find(item.id)) === null).toBe(isItemRemoved);

      const changed = await addPost(stores.one, profile, { externalId: 'x' });
      const details = sampleDetails(profile, { externalId: 'x', mediaIds: [later.id] });
      const outcomes = await race(
        ({ media }) => media.delete(later.id),
        ({ posts }) => posts.upsert([details], NOW),
      );
      const isRemoved = outcomes[0] !== 'in_use';
      expect<unknown>(outcomes).toEqual(isRemoved ? [[later.fullName], [NO_MEDIA]] : ['in_use', ['updated']]);
      const shown = (await stores.two.posts.find(changed.id))?.mediaIds;
      expect(shown).toEqual(isRemoved ? [] : [later.id]);
    });

    testRace(stores, 'both update different metrics', async (race) => {
      const post = await addPost(stores.one, await addProfile(stores.one));
      await race(
        ({ posts }) => posts.update(post.id, { metrics: { likes: 1001 } }, NOW + 1),
        ({ posts }) => posts.update(post.id, { metrics: { clicks: 1002 } }, NOW + 1),
      );
      const metrics = { ...post.metrics, likes: 1001, clicks: 1002 };
      expect(await stores.two.posts.find(post.id)).toEqual({ ...post, metrics, version: 3, updatedAt: NOW + 1 });
    });

    testRace(stores, 'delete a post once, even while it is updated', async (race) => {
      const profile = await addProfile(stores.one);
      const [post, updated] = [await addPost(stores.one, profile), await addPost(stores.one, profile)];
      const remove = ({ posts }: Stores) => posts.delete(post.id);
      expect((await race(remove, remove)).toSorted()).toEqual([false, true]);
      const [removed, answer] = await race(
        ({ posts }) => posts.delete(updated.id),
        ({ posts }) => posts.update(updated.id, { metrics: { likes: 1 } }, NOW + 1),
      );
      expect(removed).toBe(true);
      const after = { ...updated, metrics: { ...updated.metrics, likes: 1 }, version: 2, updatedAt: NOW + 1 };
      expect([null, after]).toContainEqual(answer as never);
      expect(await stores.two.posts.find(updated.id)).toBeNull();
    });
  });
}
