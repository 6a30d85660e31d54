import { describe, expect, test } from 'bun:test';
import { FARTHEST_END } from '@postshelf/domain';
import { arrives } from '../pending/kinds.ts';
import { NOW } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addHeldUpload, addUpload, itemOf } from './samples.ts';

/**
 * Checks leases for the confirmation of an upload. A lease of {@link addHeldUpload} lasts until a second after `NOW`.
 */
export function describePresignedLeases(open: OpenStores): void {
  describe('the lease of an upload', () => {
    const stores = storesOfEachTest(open);
    const END = NOW + 1000;
    const until = (owner: string, time: number) => ({ owner, until: time });

    test('is held by one owner at a time', async () => {
      const { item } = await addUpload(stores.one);
      expect(await stores.one.presign.claim(item.id, until('one', END), NOW)).toBe(true);
      expect(await stores.two.presign.claim(item.id, until('two', END), NOW)).toBe(false);
      expect(await stores.one.presign.claim(item.id, until('two', END), END - 1)).toBe(false);
      const other = await addUpload(stores.one, item.workspaceId);
      expect(await stores.two.presign.claim(other.item.id, until('two', END), NOW)).toBe(true);
    });

    test('changes neither the item nor the presigned upload', async () => {
      const { item, upload } = await addHeldUpload(stores.one, 'one');
      expect(await stores.two.presign.find(item.id)).toEqual(upload);
      await stores.one.presign.release(item.id, 'one');
      expect(await stores.two.presign.find(item.id)).toEqual(upload);
      expect(await itemOf(stores.two, item.id)).toEqual(item);
    });

    test('is prolonged for its owner, even from another instance and after it expired', async () => {
      const { item } = await addHeldUpload(stores.one, 'one');
      expect(await stores.two.presign.claim(item.id, until('one', END + 1000), NOW)).toBe(true);
      expect(await stores.two.presign.claim(item.id, until('two', END + 9000), END + 999)).toBe(false);
      expect(await stores.one.presign.claim(item.id, until('one', END + 5000), END + 2000)).toBe(true);
      expect(await stores.two.presign.claim(item.id, until('two', END + 9000), END + 4999)).toBe(false);
      expect(await stores.two.presign.claim(item.id, until('two', END + 9000), END + 5000)).toBe(true);
    });

    test('is free once it is released', async () => {
      const { item } = await addHeldUpload(stores.one, 'one');
      await stores.one.presign.release(item.id, 'one');
      expect(await stores.one.presign.finish(item.id, 'one', arrives())).toBe(false);
      expect(await stores.two.presign.claim(item.id, until('two', END), NOW)).toBe(true);
    });

    test('of a killed process ends once the clock is set back', async () => {
      const { item } = await addHeldUpload(stores.one, 'ahead');
      const back = END - FARTHEST_END;
      expect(await stores.two.presign.claim(item.id, until('two', END), back)).toBe(false);
      expect(await stores.two.presign.claim(item.id, until('two', END), back - 1)).toBe(true);
    });

    test('is released only by its owner', async () => {
      const { item } = await addHeldUpload(stores.one, 'one');
      await stores.two.presign.release(item.id, 'two');
      expect(await stores.two.presign.claim(item.id, until('two', END), NOW)).toBe(false);

      await stores.two.presign.claim(item.id, until('two', END + 1000), END);
      await stores.one.presign.release(item.id, 'one');
      expect(await stores.one.presign.claim(item.id, until('one', END + 1000), END)).toBe(false);
    });
  });
}
