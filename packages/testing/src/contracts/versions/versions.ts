import { describe, expect, test } from 'bun:test';
import { type ExpectedVersions, type Uuid, versionOfMedia } from '@postshelf/domain';
import { thrownBy } from '../../outcomes.ts';
import { claim } from '../job-samples.ts';
import { addPost, addProfile } from '../posts/samples.ts';
import { testRace } from '../race.ts';
import { addFolder, addWorkspace, NOW, newId, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

interface Versioned {
  add(stores: Stores): Promise<{ readonly id: Uuid }>;
  change(stores: Stores, id: Uuid, expected?: ExpectedVersions): Promise<unknown>;
  remove(stores: Stores, id: Uuid, expected?: ExpectedVersions): Promise<unknown>;
  version(stores: Stores, id: Uuid): Promise<number | undefined>;
}

const profiles: Versioned = {
  add: (stores) => addProfile(stores),
  change: ({ profiles }, id, expected) => profiles.update(id, { name: 'Changed' }, NOW, expected),
  remove: ({ profiles }, id, expected) => profiles.delete(id, expected),
  version: async ({ profiles }, id) => (await profiles.find(id))?.version,
};

/** The versioned resources. All changes are made in the same millisecond. */
const RESOURCES: Readonly<Record<string, Versioned>> = {
  'an item': {
    async add(stores) {
      const item = sampleImage((await addWorkspace(stores)).id);
      await stores.media.insert([item]);
      return item;
    },
    change: ({ media }, id, expected) => media.update(id, { tags: [newId()] }, NOW, expected),
    remove: ({ media }, id, expected) => media.delete(id, undefined, expected),
    async version({ media }, id) {
      const found = await media.find(id);
      return found ? versionOfMedia(found) : undefined;
    },
  },
  'a folder': {
    add: async (stores) => addFolder(stores, (await addWorkspace(stores)).id),
    change: ({ folders }, id, expected) => folders.update(id, { name: newId() }, NOW, expected),
    remove: ({ folders }, id, expected) => folders.delete(id, expected),
    version: async ({ folders }, id) => (await folders.find(id))?.version,
  },
  'a post': {
    add: async (stores) => addPost(stores, await addProfile(stores)),
    change: async ({ posts }, id, expected) => {
      const before = await posts.find(id);
      return posts.update(id, { metrics: { likes: (before?.metrics.likes ?? 0) + 1 } }, NOW, expected);
    },
    remove: ({ posts }, id, expected) => posts.delete(id, expected),
    version: async ({ posts }, id) => (await posts.find(id))?.version,
  },
  'a profile': profiles,
  'a profile that is deleted with its posts': {
    ...profiles,
    remove: ({ profiles }, id, expected) => profiles.beginRemoval(id, NOW, expected),
  },
};

/** Checks versions. The suites of the repositories check that each of their writes raises the version. */
export function describeVersions(name: string, open: OpenStores): void {
  describe(`${name}: versions`, () => {
    const stores = storesOfEachTest(open);
    const refused = (version: number) => ({ problem: { code: 'changed', version } });

    describe.each(Object.entries(RESOURCES))('of %s', (_, { add, change, remove, version }) => {
      test('increase with each change, and prevent changes and deletions that expect another version', async () => {
        const { id } = await add(stores.one);
        expect(await version(stores.two, id)).toBe(1);
        await change(stores.one, id);
        await change(stores.two, id, [7, 2]);
        await change(stores.one, id, null);
        for (const expected of [[1], [3, 5], []]) {
          expect(await thrownBy(change(stores.one, id, expected))).toMatchObject(refused(4));
          expect(await thrownBy(remove(stores.one, id, expected))).toMatchObject(refused(4));
        }
        expect(await version(stores.two, id)).toBe(4);
        await remove(stores.one, id, [4]);
        expect(await version(stores.two, id)).toBeUndefined();
      });

      testRace(stores, 'allow one of two changes that expect the same version', async (race) => {
        const { id } = await add(stores.one);
        const attempt = (of: Stores) =>
          change(of, id, [1]).then(
            () => 'made',
            ({ problem }) => problem,
          );
        const outcomes = await race(attempt, attempt);
        expect(outcomes).toContain('made');
        expect(outcomes).toContainEqual(refused(2).problem);
      });
    });

    test('increase for an item when it gets a cover', async () => {
      const video = sampleVideo((await addWorkspace(stores.one)).id);
      await stores.one.media.insert([video], [video.id]);
      await claim(stores.one, 'cover', 'worker');
      expect(await stores.one.media.finishCover(video.id, 'worker', sampleCover(video))).toBe(true);
      expect(await thrownBy(stores.one.media.update(video.id, {}, NOW, [1]))).toMatchObject(refused(2));
    });
  });
}
