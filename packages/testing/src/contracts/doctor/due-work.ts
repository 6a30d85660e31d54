import { describe, expect, test } from 'bun:test';
import { DUE_WORK, UNCONFIRMED_LIFETIME } from '@postshelf/domain';
import { addUpload, EXPIRY } from '../presign-repository/samples.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** The contract of {@link DueWork}. */
export function describeDueWork(name: string, open: OpenStores): void {
  describe(`${name}: due work`, () => {
    const stores = storesOfEachTest(open);

    test('is null for every kind if nothing waits', async () => {
      await addWorkspace(stores.one);
      const found = await stores.one.dueWork.oldest();
      expect(Object.entries(found)).toEqual(DUE_WORK.map((work) => [work, null]));
    });

    test('is the longest due time of each kind', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let n = 0; n < 2; n += 1) await addUpload(stores.one, id);
      for (const deletedAt of [NOW + 9, NOW + 7]) {
        await stores.one.deletions.record([{ id: newId(), fullName: null, deletedAt }]);
      }
      expect(await stores.two.dueWork.oldest()).toEqual({
        'unconfirmed uploads': EXPIRY + UNCONFIRMED_LIFETIME,
        deletions: NOW + 7,
      });
    });
  });
}
