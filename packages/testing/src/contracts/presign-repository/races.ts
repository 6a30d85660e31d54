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
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    testRace(stores, 'claim and finish an upload, and only the one with the lease succeeds', async (race) => {
      const { item } = await addUpload(stores.one);
      const answers = await race(claimAs(item.id, 'one'), claimAs(item.id, 'two'));
      const finish =
        (owner: string) =>
        ({ presign }: Stores) =>
          presign.finish(item.id, owner, breaksOff);
      expect(await race(finish('one'), finish('two'))).toEqual(answers);
    });

    test('with the same owner both get the lease', async () => {
      const { item } = await addUpload(stores.one);
      const claims = [claimAs(item.id, 'same')(stores.one), claimAs(item.id, 'same')(stores.two)];
      expect(await Promise.all(claims)).toEqual([true, true]);
    });

    testRace(stores, 'add an item once', async (race) => {
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
