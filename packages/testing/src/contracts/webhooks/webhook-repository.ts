import { describe, expect, test } from 'bun:test';
import type { Webhook } from '@postshelf/domain';
import { expectSlices } from '../lists.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addDelivery, addWebhook, claim, OK, outcome, sampleDelivery, sampleWebhook, secretOf } from './samples.ts';

const LATER = NOW + 1000;

/** The contract of {@link WebhookRepository}. */
export function describeWebhookRepository(name: string, open: OpenStores): void {
  describe(`${name}: webhooks`, () => {
    const stores = storesOfEachTest(open);

    test('are found as they were inserted', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const types of [null, [], ['media.active', 'post.deleted']] as const) {
        const webhook = await addWebhook(stores.one, id, { types });
        expect(await stores.two.webhooks.find(webhook.id)).toEqual(webhook);
      }
      expect(await stores.two.webhooks.find(newId())).toBeNull();
      expect(await stores.two.webhooks.count()).toBe(3);
    });

    test('are listed per workspace, newest first', async () => {
      const { id } = await addWorkspace(stores.one);
      const webhooks: Webhook[] = [];
      for (const createdAt of [NOW, NOW, NOW + 2, NOW + 1]) {
        webhooks.push(await addWebhook(stores.one, id, { createdAt }));
      }
      await addWebhook(stores.one);
      const [first, second, last, third] = webhooks;
      const newest = [last, third, second, first].flatMap((one) => one ?? []);
      await expectSlices((slice) => stores.two.webhooks.list(id, slice), newest);
    });

    test('change in the given fields', async () => {
      const webhook = await addWebhook(stores.one);
      const change = { url: 'http://other.example/', types: ['folder.created'] } as const;
      const changed = { ...webhook, ...change, updatedAt: LATER };
      expect(await stores.one.webhooks.update(webhook.id, change, LATER)).toEqual(changed);
      expect(await stores.two.webhooks.update(webhook.id, { enabled: false }, LATER)).toEqual({
        ...changed,
        enabled: false,
      });
      expect(await stores.one.webhooks.find(webhook.id)).toEqual({ ...changed, enabled: false });
      expect(await stores.one.webhooks.update(newId(), change, LATER)).toBeNull();
    });

    test('lose the reason why they were disabled once they are enabled', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      const failed = { ok: false, status: 410, error: 'status' } as const;
      await stores.one.deliveries.finish(delivery, 'owner', outcome(failed, { disable: 'gone', now: LATER }));
      const disabled = { ...webhook, enabled: false, disabledReason: 'gone', updatedAt: LATER } as const;
      expect(await stores.two.webhooks.find(webhook.id)).toEqual(disabled);
      expect(await stores.two.webhooks.update(webhook.id, { enabled: false }, LATER)).toEqual(disabled);
      expect(await stores.two.webhooks.update(webhook.id, { enabled: true }, LATER)).toEqual({
        ...webhook,
        updatedAt: LATER,
      });
      await addDelivery(stores.one, webhook, LATER);
      expect(await claim(stores.one, 'owner', LATER)).toMatchObject({ failingSince: null });
    });

    test('keep the previous secret after a rotation until the overlap ends', async () => {
      const webhook = await addWebhook(stores.one);
      expect(await stores.one.webhooks.rotate(webhook.id, secretOf('new'), NOW + 5, LATER)).toEqual({
        ...webhook,
        updatedAt: LATER,
      });
      await addDelivery(stores.one, webhook);
      const { secrets } = (await claim(stores.two)) ?? {};
      expect([secrets?.current, secrets?.previous].map((secret) => Buffer.from(secret ?? []).toString())).toEqual([
        'new',
        'secret',
      ]);
      expect(secrets?.previousUntil).toBe(NOW + 5);
      expect(await stores.one.webhooks.rotate(newId(), secretOf('new'), NOW, NOW)).toBeNull();
    });

    test('are deleted with their deliveries, even those in progress', async () => {
      const webhook = await addWebhook(stores.one);
      const [first, second] = [await addDelivery(stores.one, webhook), await addDelivery(stores.one, webhook)];
      const kept = await addDelivery(stores.one, await addWebhook(stores.one, webhook.workspaceId));
      await claim(stores.one);
      expect(await stores.two.webhooks.delete(webhook.id, NOW)).toBe(true);
      expect(await stores.two.webhooks.delete(webhook.id, NOW)).toBe(false);
      expect(await stores.one.webhooks.find(webhook.id)).toBeNull();
      expect(await stores.one.deliveries.add(sampleDelivery(webhook), '{}')).toBe(false);
      await stores.one.deliveries.finish(first, 'owner', outcome(OK));
      for (const { id } of [first, second]) expect(await stores.one.deliveries.find(id)).toBeNull();
      expect(await stores.one.deliveries.find(kept.id)).toEqual(kept);
      expect(await stores.one.deliveries.depth()).toEqual({ pending: 1, oldest: NOW });
      expect(await stores.one.webhooks.count()).toBe(1);
    });

    test('disappear immediately, while their many deliveries are pruned', async () => {
      const webhook = await addWebhook(stores.one);
      const add = () => addDelivery(stores.one, webhook);
      for (let n = 0; n < 1005; n += 15) await Promise.all(Array.from({ length: 15 }, add));
      const { id } = await addDelivery(stores.one, webhook, NOW + 1);
      expect(await stores.one.webhooks.delete(webhook.id, NOW)).toBe(true);
      expect(await stores.two.webhooks.find(webhook.id)).toBeNull();
      expect(await stores.two.webhooks.count()).toBe(0);
      expect(await stores.two.webhooks.list(webhook.workspaceId, { offset: 0, limit: 5 })).toEqual({
        items: [],
        total: 0,
      });
      expect(await stores.two.webhooks.update(webhook.id, { enabled: true }, NOW)).toBeNull();
      expect(await stores.two.webhooks.delete(webhook.id, NOW)).toBe(false);
      expect(await stores.two.deliveries.find(id)).toBeNull();
      expect(await stores.two.deliveries.redeliver(id, NOW)).toBeNull();
      expect(await claim(stores.two, 'owner', NOW + 1)).toBeNull();
      const pruned: number[] = [];
      for (let count = 1; count > 0; pruned.push(count)) count = await stores.one.deliveries.prune(NOW, 4);
      expect(pruned).toEqual([4, 3, 0]);
      expect(await stores.two.deliveries.depth()).toEqual({ pending: 0, oldest: null });
    });

    test('are deleted with their workspace, and not claimed once its removal has started', async () => {
      const { id } = await addWorkspace(stores.one);
      const webhooks = [await addWebhook(stores.one, id), await addWebhook(stores.one, id)];
      for (const webhook of [...webhooks, ...webhooks]) await addDelivery(stores.one, webhook);
      const other = await addDelivery(stores.one, await addWebhook(stores.one));
      await stores.one.workspaces.beginRemoval(id, NOW);
      for (const gone of [id, newId()]) {
        expect(await stores.two.webhooks.insert(sampleWebhook(gone), secretOf('secret'))).toBe('gone');
      }
      expect((await claim(stores.two))?.delivery.id).toBe(other.id);
      expect(await claim(stores.two)).toBeNull();
      while ((await stores.one.workspaces.removeBatch(id, 2, NOW)) !== null);
      expect(await stores.two.workspaces.pendingRemovals()).toEqual([]);
      for (const webhook of webhooks) expect(await stores.two.webhooks.find(webhook.id)).toBeNull();
      expect(await stores.two.webhooks.count()).toBe(1);
      expect((await stores.two.deliveries.depth()).pending).toBe(1);
    });

    testRace(stores, 'are deleted with their workspace while others are inserted and delivered', async (race) => {
      const { id } = await addWorkspace(stores.one);
      for (let n = 0; n < 3; n += 1) await addDelivery(stores.one, await addWebhook(stores.one, id));
      await race(
        async ({ workspaces }) => {
          await workspaces.beginRemoval(id, NOW);
          while ((await workspaces.removeBatch(id, 2, NOW)) !== null);
        },
        ({ webhooks }) => webhooks.insert(sampleWebhook(id), secretOf('secret')),
      );
      expect(await stores.one.workspaces.pendingRemovals()).toEqual([]);
      expect(await stores.one.webhooks.list(id, { offset: 0, limit: 1 })).toEqual({ items: [], total: 0 });
    });
  });
}
