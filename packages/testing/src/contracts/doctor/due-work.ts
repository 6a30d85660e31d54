import { describe, expect, test } from 'bun:test';
import { DUE_WORK, UNCONFIRMED_LIFETIME } from '@postshelf/domain';
import { addDelivery, addWebhook, claim, LEASE } from '../events/webhook-samples.ts';
import { addUpload, EXPIRY } from '../presign-repository/samples.ts';
import { addWorkspace, NOW, newId, sampleFit, sampleProcessing } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** The contract of {@link DueWork}. */
export function describeDueWork(name: string, open: OpenStores): void {
  describe(`${name}: due work`, () => {
    const stores = storesOfEachTest(open);

    test('is none in a library where nothing waits', async () => {
      await addWorkspace(stores.one);
      const found = await stores.one.dueWork.oldest();
      expect(Object.entries(found)).toEqual(DUE_WORK.map((work) => [work, null]));
    });

    test('is the longest due of each', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const dueAt of [NOW + 7, NOW + 3])
        await stores.one.imports.add(sampleProcessing(id), { url: 'https://example.com/', attempts: 0 }, { dueAt });
      await addUpload(stores.one, id);
      const fit = sampleFit(id);
      await stores.one.fitQueue.add(fit, { target: 'x.post', how: 'crop' });
      await stores.one.deletions.record([{ id: newId(), fullName: null, deletedAt: NOW + 9 }]);
      await addDelivery(stores.one, await addWebhook(stores.one));
      expect(await stores.two.dueWork.oldest()).toMatchObject({
        imports: NOW + 3,
        covers: null,
        'unconfirmed uploads': EXPIRY + UNCONFIRMED_LIFETIME,
        deletions: NOW + 9,
        'webhook deliveries': NOW,
      });
    });

    test('is due again when the lease of whoever does it ends', async () => {
      const { id } = await addWorkspace(stores.one);
      const lease = { owner: 'one', until: NOW + 500 };
      await stores.one.imports.add(sampleProcessing(id), { url: 'https://example.com/', attempts: 0 }, { lease });
      await stores.one.fitQueue.add(sampleFit(id), { target: 'x.post', how: 'crop' });
      await stores.one.fitQueue.claim({ now: NOW, lease, without: [] });
      await addDelivery(stores.one, await addWebhook(stores.one));
      await claim(stores.one, 'one');
      expect(await stores.two.dueWork.oldest()).toMatchObject({
        imports: NOW + 500,
        fits: NOW + 500,
        'webhook deliveries': NOW + LEASE,
      });
    });
  });
}
