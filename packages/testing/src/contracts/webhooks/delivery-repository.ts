import { describe, expect, test } from 'bun:test';
import type { Delivery, Uuid, Webhook } from '@postshelf/domain';
import { expectSlices } from '../lists.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addDelivery, addWebhook, claim, deliverAll, LEASE, NO, OK, outcome, sampleDelivery } from './samples.ts';

const AGAIN = NOW + 5000;

/** The contract of {@link DeliveryRepository}, except for turning events into deliveries. */
export function describeDeliveryRepository(name: string, open: OpenStores): void {
  describe(`${name}: deliveries`, () => {
    const stores = storesOfEachTest(open);

    const find = async ({ id }: Delivery) => stores.two.deliveries.find(id);
    const disable = (id: Uuid, enabled: boolean) => stores.one.webhooks.update(id, { enabled }, NOW);
    const figures = async () => (await stores.two.jobs.figures()).get('delivery');

    test('are claimed with what is needed to send them', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = sampleDelivery(webhook);
      expect(await stores.one.deliveries.add(delivery, '{"type":"webhook.test"}')).toBe(true);
      expect(await find(delivery)).toEqual(delivery);
      expect(await claim(stores.two)).toMatchObject({
        delivery,
        webhook,
        payload: '{"type":"webhook.test"}',
        secrets: { previous: null, previousUntil: null },
        failingSince: null,
      });
      expect(await stores.one.deliveries.add(sampleDelivery({ ...webhook, id: newId() }), '{}')).toBe(false);
    });

    test('are not due for a disabled or deleted webhook', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      const next = async (now = NOW) => (await stores.two.deliveries.next(webhook.id, now))?.delivery ?? null;
      expect(await next(NOW - 1)).toBeNull();
      expect(await next()).toEqual(delivery);
      await disable(webhook.id, false);
      expect(await next()).toBeNull();
      await disable(webhook.id, true);
      expect(await next()).toEqual(delivery);
      await stores.one.webhooks.delete(webhook.id, NOW);
      expect(await next()).toBeNull();
      expect(await stores.two.deliveries.next(newId(), NOW)).toBeNull();
    });

    test('are not changed by a worker that has lost the job of their webhook', async () => {
      const delivery = await addDelivery(stores.one, await addWebhook(stores.one));
      await claim(stores.one, 'one');
      expect(await claim(stores.two, 'two', NOW + LEASE)).toMatchObject({ delivery });
      await stores.one.deliveries.finish(delivery, 'one', outcome(OK));
      await stores.one.deliveries.putBack(delivery.webhookId, 'one', NOW);
      expect(await find(delivery)).toEqual(delivery);
      await stores.two.deliveries.finish(delivery, 'two', outcome(OK));
      expect(await find(delivery)).toMatchObject({ status: 'delivered', attempts: 1 });
    });

    test('end with the first success', async () => {
      const delivery = await addDelivery(stores.one, await addWebhook(stores.one));
      await claim(stores.one);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(OK));
      const ended = {
        status: 'delivered',
        attempts: 1,
        nextAttemptAt: null,
        lastStatus: 204,
        lastError: null,
      } as const;
      expect(await find(delivery)).toEqual({ ...delivery, ...ended });
      expect(await claim(stores.two, 'owner', NOW + LEASE)).toBeNull();
      expect(await stores.two.deliveries.depth()).toEqual({ pending: 0, oldest: null });
    });

    test('are retried when they are due, and fail after the last attempt', async () => {
      const delivery = await addDelivery(stores.one, await addWebhook(stores.one));
      await claim(stores.one);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(NO, { nextAttemptAt: AGAIN }));
      const once = { attempts: 1, nextAttemptAt: AGAIN, lastStatus: 500, lastError: 'status' } as const;
      expect(await find(delivery)).toEqual({ ...delivery, ...once });
      expect(await claim(stores.two, 'owner', AGAIN - 1)).toBeNull();
      expect((await claim(stores.two, 'owner', AGAIN))?.delivery).toEqual({ ...delivery, ...once });
      const unreachable = { ok: false, status: null, error: 'unreachable' } as const;
      await stores.two.deliveries.finish(delivery, 'owner', outcome(unreachable, { now: AGAIN }));
      const failed = { status: 'failed', attempts: 2, nextAttemptAt: null, lastStatus: null } as const;
      expect(await find(delivery)).toEqual({ ...delivery, ...failed, lastError: 'unreachable' });
    });

    test('report since when their webhook has only failed', async () => {
      const webhook = await addWebhook(stores.one);
      const sinceAfter = async (attempt: typeof OK, now: number) => {
        const delivery = await addDelivery(stores.one, webhook, now);
        const due = await claim(stores.one, 'owner', now);
        await stores.one.deliveries.finish(delivery, 'owner', outcome(attempt, { now }));
        return due?.failingSince;
      };
      expect(await sinceAfter(NO, NOW)).toBeNull();
      expect(await sinceAfter(NO, NOW + 1)).toBe(NOW);
      expect(await sinceAfter(OK, NOW + 2)).toBe(NOW);
      expect(await sinceAfter(NO, NOW + 3)).toBeNull();
      expect(await sinceAfter(OK, NOW + 4)).toBe(NOW + 3);
    });

    test('are put back without counting an attempt, after those of the other webhooks', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      const other = await addDelivery(stores.one, await addWebhook(stores.one, webhook.workspaceId), NOW + 5);
      expect((await claim(stores.one))?.delivery).toEqual(delivery);
      await stores.two.deliveries.putBack(webhook.id, 'another', NOW + 6);
      expect(await claim(stores.two, 'another', NOW + 4)).toBeNull();
      await stores.two.deliveries.putBack(webhook.id, 'owner', NOW + 6);
      expect(await find(delivery)).toEqual(delivery);
      expect((await claim(stores.two, 'another', NOW + 6))?.delivery).toEqual(other);
      expect((await claim(stores.two, 'another', NOW + 6))?.delivery).toEqual(delivery);
    });

    test('have a job that is due at the next attempt, or none without a next attempt', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(NO, { nextAttemptAt: AGAIN }));
      expect((await figures())?.longestDue).toBe(AGAIN);
      await claim(stores.one, 'owner', AGAIN);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(OK, { now: AGAIN }));
      expect(await figures()).toMatchObject({ waiting: 0, running: 0 });
    });

    test('are delivered again on request, with all attempts available', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(NO));
      const again = { ...delivery, nextAttemptAt: AGAIN, lastStatus: 500, lastError: 'status' } as const;
      expect(await stores.two.deliveries.redeliver(delivery.id, AGAIN)).toEqual(again);
      expect((await claim(stores.one, 'owner', AGAIN))?.delivery).toEqual(again);
      // A delivery may be requested again while it is in progress.
      expect(await stores.two.deliveries.redeliver(delivery.id, AGAIN)).toEqual(again);
      expect(await claim(stores.two, 'owner', AGAIN)).toBeNull();
      await stores.one.deliveries.finish(delivery, 'owner', outcome(OK));
      expect(await find(delivery)).toMatchObject({ status: 'delivered', attempts: 1 });
      expect(await stores.two.deliveries.redeliver(newId(), NOW)).toBeNull();
    });

    test('run one at a time for each webhook, the longest due first', async () => {
      const webhook = await addWebhook(stores.one);
      const second = await addDelivery(stores.one, webhook, NOW + 1);
      const first = await addDelivery(stores.one, webhook);
      const third = await addDelivery(stores.one, webhook, NOW + 2);
      expect((await claim(stores.one, 'owner', NOW + 2))?.delivery).toEqual(first);
      expect(await claim(stores.two, 'another', NOW + 2)).toBeNull();
      await stores.one.deliveries.finish(first, 'owner', outcome(NO, { nextAttemptAt: AGAIN, now: NOW + 2 }));
      const rest = (await deliverAll(stores.two, NOW + 2)).map((due) => due.delivery.id);
      expect(rest).toEqual([second.id, third.id]);
      expect((await claim(stores.two, 'owner', AGAIN))?.delivery.id).toBe(first.id);
    });

    const many = async (webhook: Webhook, count: number) => {
      for (let n = 0; n < count; n += 1) await addDelivery(stores.one, webhook);
    };

    test('let workspaces take turns, and webhooks within each workspace', async () => {
      const busy = await addWorkspace(stores.one);
      const webhooks: Webhook[] = [];
      for (let n = 0; n < 3; n += 1) webhooks.push(await addWebhook(stores.one, busy.id));
      for (const [index, webhook] of webhooks.entries()) await many(webhook, index === 0 ? 6 : 2);
      const other = await addWebhook(stores.one);
      await many(other, 4);
      const order = (await deliverAll(stores.two, NOW + 1)).map((due) => due.webhook);
      expect(order).toHaveLength(14);
      // While both workspaces have deliveries, neither waits for more than one delivery of the other.
      const workspaces = order.slice(0, 7).map(({ workspaceId }) => workspaceId);
      expect(workspaces.filter((id) => id === other.workspaceId).length).toBeGreaterThanOrEqual(3);
      const ofBusy = order.filter(({ workspaceId }) => workspaceId === busy.id).map(({ id }) => id);
      for (const round of [ofBusy.slice(0, 3), ofBusy.slice(3, 6)]) expect(new Set(round).size).toBe(3);
    });

    test("of a busy webhook don't delay those of others", async () => {
      const busy = await addWebhook(stores.one);
      await many(busy, 20);
      for (let now = NOW; now < NOW + 5; now += 1) {
        const due = await claim(stores.one, 'owner', now);
        if (due) await stores.one.deliveries.finish(due.delivery, 'owner', outcome(NO, { nextAttemptAt: AGAIN, now }));
      }
      const at = NOW + 5;
      const late = await addDelivery(stores.one, await addWebhook(stores.one, busy.workspaceId), at);
      const foreign = await addDelivery(stores.one, await addWebhook(stores.one), at);
      const claimNext = () => claim(stores.two, 'owner', at);
      const next = [await claimNext(), await claimNext(), await claimNext()];
      const ids = next.map((due) => due?.delivery.id);
      expect(ids).toContain(late.id);
      expect(ids).toContain(foreign.id);
    });

    test('wait while their webhook is disabled', async () => {
      const webhook = await addWebhook(stores.one);
      const first = await addDelivery(stores.one, webhook);
      const second = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      await disable(webhook.id, false);
      expect(await claim(stores.two, 'another', NOW + LEASE - 1)).toBeNull();
      // The delivery that is in progress can still end.
      await stores.one.deliveries.finish(first, 'owner', outcome(OK));
      expect(await find(first)).toMatchObject({ status: 'delivered' });
      expect(await stores.two.deliveries.redeliver(first.id, NOW)).toMatchObject({ status: 'pending' });
      const added = await addDelivery(stores.two, webhook);
      expect(await claim(stores.two, 'another', NOW + 2 * LEASE)).toBeNull();
      await disable(webhook.id, true);
      const delivered = (await deliverAll(stores.two)).map((due) => due.delivery.id);
      expect(new Set(delivered)).toEqual(new Set([first.id, second.id, added.id]));
    });

    test('continue after their lease if the webhook is disabled and enabled meanwhile', async () => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      for (const enabled of [false, true]) await disable(webhook.id, enabled);
      expect(await claim(stores.two, 'another')).toBeNull();
      expect((await claim(stores.two, 'another', NOW + LEASE))?.delivery).toEqual(delivery);
    });

    test('wait if an attempt has disabled their webhook', async () => {
      const webhook = await addWebhook(stores.one);
      const [first, second] = [await addDelivery(stores.one, webhook), await addDelivery(stores.one, webhook)];
      await claim(stores.one);
      await stores.one.deliveries.finish(first, 'owner', outcome(NO, { nextAttemptAt: AGAIN, disable: 'failing' }));
      expect(await stores.two.webhooks.find(webhook.id)).toMatchObject({ enabled: false, disabledReason: 'failing' });
      expect(await claim(stores.two, 'another', AGAIN)).toBeNull();
      await disable(webhook.id, true);
      expect(await deliverAll(stores.two, AGAIN)).toHaveLength(2);
      expect(await find(second)).toMatchObject({ status: 'delivered' });
    });

    test('are listed per webhook, newest first', async () => {
      const webhook = await addWebhook(stores.one);
      const deliveries: Delivery[] = [];
      for (const at of [NOW, NOW, NOW + 2, NOW + 1]) deliveries.push(await addDelivery(stores.one, webhook, at));
      await addDelivery(stores.one, await addWebhook(stores.one, webhook.workspaceId));
      const [first, second, last, third] = deliveries;
      const newest = [last, third, second, first].flatMap((one) => one ?? []);
      await expectSlices((slice) => stores.two.deliveries.list(webhook.id, slice), newest);
      expect(await stores.two.deliveries.list(newId(), { offset: 9000, limit: 5 })).toEqual({ items: [], total: 0 });
    });

    test('are pruned long after they ended, or after waiting as long for a disabled webhook', async () => {
      const webhook = await addWebhook(stores.one);
      const deliveries: Delivery[] = [];
      for (const at of [NOW, NOW + 1, NOW + 2]) deliveries.push(await addDelivery(stores.one, webhook, at));
      for (const [index, delivery] of deliveries.slice(0, 2).entries()) {
        const now = NOW + 10 + index;
        await claim(stores.one, 'owner', now);
        await stores.one.deliveries.finish(delivery, 'owner', outcome(index === 0 ? OK : NO, { now }));
      }
      const remaining = async () => (await stores.two.deliveries.list(webhook.id, { offset: 0, limit: 5 })).total;
      expect(await stores.one.deliveries.prune(NOW + 10, 5)).toBe(0);
      expect(await stores.one.deliveries.prune(NOW + 11, 5)).toBe(1);
      expect(await remaining()).toBe(2);
      await disable(webhook.id, false);
      expect(await stores.one.deliveries.prune(NOW + 2, 5)).toBe(0);
      // Callers stop after a batch that isn't full, so it must contain deliveries of both kinds.
      expect(await stores.one.deliveries.prune(NOW + 12, 5)).toBe(2);
      expect(await remaining()).toBe(0);
    });

    test('are counted while they are pending, with the age of the oldest', async () => {
      expect(await stores.one.deliveries.depth()).toEqual({ pending: 0, oldest: null });
      const webhook = await addWebhook(stores.one);
      for (const at of [NOW + 3, NOW + 1, NOW + 2]) await addDelivery(stores.one, webhook, at);
      expect(await stores.two.deliveries.depth()).toEqual({ pending: 3, oldest: NOW + 1 });
    });

    testRace(stores, 'are each delivered once by two workers', async (race) => {
      const webhooks = [await addWebhook(stores.one), await addWebhook(stores.one)];
      for (const webhook of webhooks) await many(webhook, 4);
      const [ones, twos] = await race(
        (of) => deliverAll(of, NOW, 'one'),
        (of) => deliverAll(of, NOW, 'two'),
      );
      // A worker skips a webhook that the other worker has locked for a moment, so some deliveries may remain.
      const ids = [...ones, ...twos, ...(await deliverAll(stores.one))].map((due) => due.delivery.id);
      expect(ids).toHaveLength(8);
      expect(new Set(ids).size).toBe(8);
    });
  });
}
