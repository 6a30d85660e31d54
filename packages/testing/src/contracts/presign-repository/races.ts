import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { breaksOff } from '../pending/kinds.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addUpload, sampleUpload } from './samples.ts';

const claimAs =
  (id: Uuid, owner: string) =>
  ({ presign }: Stores) =>
    presign.claim(id, { owner, until: NOW + 1000 }, NOW);

export function describePresignedRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    testRace(stores, 'claim an upload and finish it: the one that has the lease does', async (race) => {
      const { item } = await addUpload(stores.one);
      const answers = await race(claimAs(item.id, 'one'), claimAs(item.id, 'two'));
      const finish =
        (owner: string) =>
        ({ presign }: Stores) =>
          presign.finish(item.id, owner, breaksOff);
      expect(await race(finish('one'), finish('two'))).toEqual(answers);
    });

    test('give one owner the lease twice', async () => {
      const { item } = await addUpload(stores.one);
      const claims = [claimAs(item.id, 'same')(stores.one), claimAs(item.id, 'same')(stores.two)];
      expect(await Promise.all(claims)).toEqual([true, true]);
    });

    testRace(stores, 'add one item: one does it', async (race) => {
      const first = sampleUpload((await addWorkspace(stores.one)).id);
      const second = { ...first, upload: { ...first.upload, size: 1 } };
      const add =
        (upload: typeof first) =>
        ({ presign }: Stores) =>
          presign.add([upload]).then(
            () => true,
            () => false,
          );
      const answers = await race(add(first), add(second));
      expect(answers.toSorted()).toEqual([false, true]);
      expect(await stores.two.presign.find(first.item.id)).toEqual((answers[0] ? first : second).upload);
    });
  });
}
