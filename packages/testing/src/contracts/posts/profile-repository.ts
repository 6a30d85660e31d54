import { describe, expect, test } from 'bun:test';
import type { Profile } from '@postshelf/domain';
import { outcomeOf, thrownBy } from '../../outcomes.ts';
import { expectSlices } from '../lists.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addPost, addProfile, sampleDetails, samplePost, sampleProfile } from './samples.ts';

/** The contract of {@link ProfileRepository}. */
export function describeProfileRepository(name: string, open: OpenStores): void {
  describe(`${name}: profile repository`, () => {
    const stores = storesOfEachTest(open);

    test('keeps profiles as they were given, for every instance', async () => {
      const { id } = await addWorkspace(stores.one);
      const profile = sampleProfile(id, { name: 'Été 😀 "%_\\\'', network: 'X', updatedAt: NOW + 1 });
      await stores.one.profiles.insert(profile);
      expect(await stores.one.profiles.find(profile.id)).toEqual(profile);
      expect(await stores.two.profiles.find(profile.id)).toEqual(profile);
    });

    test('hides a profile being deleted, refuses its posts, and deletes it in steps', async () => {
      const profile = await addProfile(stores.one);
      const { id, workspaceId } = profile;
      const kept = await addPost(stores.one, await addProfile(stores.one, workspaceId));
      const posts = [
        await addPost(stores.one, profile),
        await addPost(stores.one, profile),
        await addPost(stores.one, profile),
      ];
      expect(await stores.two.profiles.beginRemoval(id, NOW)).toBe(true);
      expect(await stores.one.profiles.beginRemoval(id, NOW)).toBe(false);
      const slice = { offset: 0, limit: 9 };
      const isHidden = async () => {
        expect(await stores.one.profiles.find(id)).toBeNull();
        expect((await stores.one.profiles.list(workspaceId, slice)).total).toBe(1);
      };
      await isHidden();
      expect(await thrownBy(stores.one.posts.insert(samplePost(profile)))).toMatchObject({
        problem: { code: 'invalid' },
      });
      expect(await stores.one.profiles.update(id, { name: 'X' }, NOW)).toBeNull();
      expect(await stores.one.profiles.delete(id)).toBeNull();
      const steps: boolean[] = [];
      for (let n = 0; n < 4; n += 1) steps.push(await stores.two.profiles.removeBatch(2));
      expect(steps).toEqual([true, true, true, false]);
      await isHidden();
      for (const post of posts) expect(await stores.one.posts.find(post.id)).toBeNull();
      expect(await stores.one.posts.list(workspaceId, {}, slice)).toEqual({ items: [kept], total: 1 });
      expect(await stores.one.posts.list(workspaceId, { from: 0 }, slice)).toEqual({ items: [kept], total: 1 });
      await stores.one.profiles.insert(profile);
    });

    test('returns null for an unknown profile', async () => {
      expect(await stores.one.profiles.find(newId())).toBeNull();
    });

    test('throws if an id is taken or the workspace does not exist, and keeps nothing', async () => {
      const profile = await addProfile(stores.one);
      const twin = sampleProfile(profile.workspaceId, { id: profile.id, name: 'Twin' });
      expect(await outcomeOf(stores.two.profiles.insert(twin))).toThrow();
      expect(await stores.one.profiles.find(profile.id)).toEqual(profile);
      const homeless = sampleProfile(newId());
      expect(await outcomeOf(stores.two.profiles.insert(homeless))).toThrow();
      expect(await stores.one.profiles.find(homeless.id)).toBeNull();
    });

    test('finds the existing ones among many ids, of any workspace', async () => {
      const profiles: Profile[] = [];
      for (let count = 0; count < 3; count += 1) profiles.push(await addProfile(stores.one));
      const unknown = Array.from({ length: 997 }, newId);
      const found = await stores.two.profiles.findMany([...unknown, ...profiles.map((profile) => profile.id)]);
      expect(found.toSorted(byId)).toEqual(profiles.toSorted(byId));
      expect(await stores.two.profiles.findMany(unknown)).toEqual([]);
      expect(await stores.two.profiles.findMany([])).toEqual([]);
    });

    test('lists a workspace by latest update, then by later id, in slices', async () => {
      const { id } = await addWorkspace(stores.one);
      const lowest = newId();
      const [old, first, second] = [
        await addProfile(stores.one, id, { updatedAt: NOW - 1 }),
        await addProfile(stores.one, id),
        await addProfile(stores.one, id),
      ];
      const latest = await addProfile(stores.one, id, { id: lowest, updatedAt: NOW + 1 });
      await addProfile(stores.one);
      const all = [latest, second, first, old];
      await expectSlices((slice) => stores.two.profiles.list(id, slice), all);
    });

    test('lists nothing for a workspace without profiles', async () => {
      await addProfile(stores.one);
      const { id } = await addWorkspace(stores.one);
      expect(await stores.one.profiles.list(id, { offset: 0, limit: 10 })).toEqual({ items: [], total: 0 });
    });

    test('changes the given fields and the time of the update', async () => {
      const profile = await addProfile(stores.one);
      const renamed = { ...profile, name: 'Other', version: 2, updatedAt: NOW + 5 };
      expect(await stores.two.profiles.update(profile.id, { name: 'Other' }, NOW + 5)).toEqual(renamed);
      const moved = { ...renamed, network: 'tiktok', version: 3, updatedAt: NOW + 6 };
      expect(await stores.one.profiles.update(profile.id, { network: 'tiktok' }, NOW + 6)).toEqual(moved);
      expect(await stores.two.profiles.find(profile.id)).toEqual(moved);
      expect(await stores.one.profiles.update(newId(), { name: 'Nobody' }, NOW)).toBeNull();
    });

    test('deletes a profile without posts, even if it had some', async () => {
      const profile = await addProfile(stores.one);
      const post = await addPost(stores.one, profile);
      expect(await stores.two.profiles.delete(profile.id)).toBe('in_use');
      expect(await stores.one.profiles.find(profile.id)).toEqual(profile);
      await stores.one.posts.delete(post.id);
      expect(await stores.two.profiles.delete(profile.id)).toBe('deleted');
      expect(await stores.one.profiles.find(profile.id)).toBeNull();
      expect(await stores.one.profiles.delete(profile.id)).toBeNull();
    });

    test('refuses a post of a deleted profile, also among other posts', async () => {
      const profile = await addProfile(stores.one);
      await stores.one.profiles.delete(profile.id);
      const refusal = { problem: { code: 'invalid', errors: { profile: ['The selected profile is invalid.'] } } };
      expect(await thrownBy(stores.two.posts.insert(samplePost(profile)))).toMatchObject(refusal);
      expect(await thrownBy(stores.two.posts.upsert([sampleDetails(profile)], NOW))).toMatchObject(refusal);
    });

    test('refuses either a post or the concurrent deletion of its profile', async () => {
      for (let round = 0; round < 10; round += 1) {
        const profile = await addProfile(stores.one);
        const [added, deleted] = await Promise.all([
          stores.one.posts.insert(samplePost(profile)).catch(() => 'refused'),
          stores.two.profiles.delete(profile.id),
        ]);
        expect(['null in_use', 'refused deleted']).toContain(`${added} ${deleted}`);
      }
    });
  });
}

const byId = (a: Profile, b: Profile): number => (a.id < b.id ? -1 : 1);
