import { describe, expect, test } from 'bun:test';
import { type Delivery, type DueDelivery, type LibraryEvent, MAX_WEBHOOKS, type Uuid } from '@postshelf/domain';
import { testRace } from '../race.ts';
import { addFolder, addListened, NOW, newId } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addDelivery, addWebhook, claim, deliverAll, NO, OK, outcome, sampleWebhook, secretOf } from './samples.ts';

const PAYLOAD = { newId, payloadOf: ({ id, type }: LibraryEvent) => JSON.stringify({ id, type }) };

const fanOut = ({ deliveries }: Stores, limit = 500, now = NOW): Promise<number> =>
  deliveries.fanOut(limit, PAYLOAD, now);

/** The part of {@link DeliveryRepository}'s contract about turning events into deliveries. */
export function describeFanOut(name: string, open: OpenStores): void {
  describe(`${name}: events that become deliveries`, () => {
    const stores = storesOfEachTest(open);

    const made = async (workspaceId: Uuid, count = 1): Promise<void> => {
      for (let n = 0; n < count; n += 1) await addFolder(stores.one, workspaceId);
    };
    const idsOf = (due: readonly DueDelivery[]) => due.map(({ webhook }) => webhook.id).sort();

    test('are delivered to the webhooks of their workspace once', async () => {
      const { id } = await addListened(stores.one);
      const webhooks = [await addWebhook(stores.one, id), await addWebhook(stores.one, id)];
      await addWebhook(stores.one);
      const before = await stores.one.events.newest();
      await made(id);
      const [placed] = await stores.one.events.listAfter(before, 10);
      expect(await fanOut(stores.one)).toBe(1);
      expect(await fanOut(stores.two)).toBe(0);
      const due = await deliverAll(stores.two);
      expect(idsOf(due)).toEqual(webhooks.map((webhook) => webhook.id).sort());
      const event = { id: placed?.event.id, type: 'folder.created' };
      for (const { delivery, payload } of due) {
        expect(delivery).toMatchObject({ event, status: 'pending', attempts: 0, nextAttemptAt: NOW, createdAt: NOW });
        expect(JSON.parse(payload)).toEqual(event);
      }
    });

    test('are delivered only to enabled webhooks that want their type', async () => {
      const { id } = await addListened(stores.one);
      const wanting = await addWebhook(stores.one, id, { types: ['folder.deleted', 'folder.created'] });
      await addWebhook(stores.one, id, { types: ['media.active'] });
      await addWebhook(stores.one, id, { types: [] });
      const disabled = await addWebhook(stores.one, id);
      await stores.one.webhooks.update(disabled.id, { enabled: false }, NOW);
      await made(id, 2);
      expect(await fanOut(stores.two)).toBe(2);
      expect(idsOf(await deliverAll(stores.two))).toEqual([wanting.id, wanting.id]);
      await stores.one.webhooks.update(disabled.id, { enabled: true }, NOW);
      expect(await claim(stores.one)).toBeNull();
    });

    test('are not delivered to a newer webhook', async () => {
      const { id } = await addListened(stores.one);
      await made(id, 3);
      const first = await addWebhook(stores.one, id);
      await made(id);
      const second = await addWebhook(stores.two, id);
      await made(id);
      while ((await fanOut(stores.one)) > 0);
      expect(idsOf(await deliverAll(stores.one))).toEqual([first.id, first.id, second.id].sort());
    });

    test('are ignored if they are older than the first webhook', async () => {
      const { id } = await addListened(stores.one);
      await made(id, 3);
      expect(await fanOut(stores.one)).toBe(0);
      const webhook = await addWebhook(stores.one, id);
      expect(await fanOut(stores.one)).toBe(0);
      await made(id);
      expect(await fanOut(stores.one)).toBe(1);
      await stores.one.webhooks.delete(webhook.id, NOW);
      await made(id, 2);
      expect(await fanOut(stores.one)).toBe(0);
      await addWebhook(stores.one, id);
      await made(id);
      expect(await fanOut(stores.one)).toBe(1);
    });

    test('are handled in batches', async () => {
      const { id } = await addListened(stores.one);
      await addWebhook(stores.one, id);
      await made(id, 5);
      const counts = [];
      for (let n = 0; n < 4; n += 1) counts.push(await fanOut(stores.one, 2));
      expect(counts).toEqual([2, 2, 1, 0]);
      expect(await deliverAll(stores.one)).toHaveLength(5);
    });

    test(`are handled in batches for the maximum of ${MAX_WEBHOOKS} webhooks, without delaying other workspaces`, async () => {
      const { id } = await addListened(stores.one);
      for (let n = 1; n < MAX_WEBHOOKS; n += 1) await addWebhook(stores.one, id);
      const insert = ({ webhooks }: Stores) => webhooks.insert(sampleWebhook(id), secretOf('secret'));
      expect((await Promise.all([stores.one, stores.two].map(insert))).sort()).toEqual(['full', 'kept']);
      const removed = await stores.one.webhooks.list(id, { offset: 0, limit: 1 });
      await stores.one.webhooks.delete(removed.items[0]?.id ?? newId(), NOW);
      expect([await insert(stores.two), await insert(stores.one)]).toEqual(['kept', 'full']);
      const other = await addWebhook(stores.one);
      await made(id, 25);
      await made(other.workspaceId);
      expect([await fanOut(stores.one), await fanOut(stores.one)]).toEqual([19, 7]);
      expect(await stores.two.deliveries.depth()).toEqual({ pending: 25 * MAX_WEBHOOKS + 1, oldest: NOW });
      const next = [await claim(stores.one), await claim(stores.one), await claim(stores.one)];
      expect(next.map((due) => due?.webhook.id)).toContain(other.id);
    });

    testRace(stores, 'become deliveries once if two callers fan out concurrently', async (race) => {
      const { id } = await addListened(stores.one);
      const webhook = await addWebhook(stores.one, id);
      await made(id, 3);
      await race(
        (of) => fanOut(of),
        (of) => fanOut(of),
      );
      while ((await fanOut(stores.one)) > 0);
      expect(await stores.two.deliveries.list(webhook.id, { offset: 0, limit: 5 })).toMatchObject({ total: 3 });
    });

    testRace(stores, 'are all delivered to a webhook while another one is deleted', async (race) => {
      const { id } = await addListened(stores.one);
      const [kept, removed] = [await addWebhook(stores.one, id), await addWebhook(stores.one, id)];
      await made(id, 3);
      await race(
        (of) => fanOut(of),
        ({ webhooks }) => webhooks.delete(removed.id, NOW),
      );
      while ((await stores.one.deliveries.prune(NOW, 100)) > 0);
      expect(idsOf(await deliverAll(stores.one))).toEqual([kept.id, kept.id, kept.id]);
    });

    testRace(stores, 'are all delivered to a webhook if they follow its insertion', async (race) => {
      const { id } = await addListened(stores.one);
      const first = await addWebhook(stores.one, id);
      await made(id);
      const [webhook] = await race(
        async (of) => {
          const inserted = await addWebhook(of, id);
          await addFolder(of, id);
          return inserted;
        },
        async (of) => {
          await addFolder(of, id);
          await fanOut(of);
          await fanOut(of);
        },
      );
      while ((await fanOut(stores.one)) > 0);
      const countFor = async (webhookId: Uuid) =>
        (await stores.two.deliveries.list(webhookId, { offset: 0, limit: 5 })).total;
      expect(await countFor(first.id)).toBe(3);
      expect([1, 2]).toContain(await countFor(webhook.id));
    });

    testRace(stores, 'are claimed even if the webhook has just finished its last delivery', async (race) => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      await made(webhook.workspaceId);
      await race(
        ({ deliveries }) => deliveries.finish(delivery, 'owner', outcome(OK)),
        (of) => fanOut(of),
      );
      expect(idsOf(await deliverAll(stores.two))).toEqual([webhook.id]);
    });

    testRace(stores, 'are claimed even if the job of the webhook has just been put back', async (race) => {
      const webhook = await addWebhook(stores.one);
      const delivery = await addDelivery(stores.one, webhook);
      await claim(stores.one);
      await stores.one.deliveries.finish(delivery, 'owner', outcome(NO, { nextAttemptAt: NOW }));
      await stores.one.jobs.claim({
        ...{
          kind: 'delivery',
          rules: { batch: 1, order: 'oldest' },
          now: NOW,
          lease: { owner: 'owner', until: NOW + 5 },
        },
        ...{ perWorkspace: null, without: [] },
      });
      await stores.one.deliveries.redeliver(delivery.id, NOW);
      await made(webhook.workspaceId);
      await race(
        ({ deliveries }) => deliveries.putBack(webhook.id, 'owner', NOW),
        (of) => fanOut(of),
      );
      expect(idsOf(await deliverAll(stores.two))).toEqual([webhook.id, webhook.id]);
    });

    testRace(stores, 'are delivered to the webhooks of a workspace while each of them is delivering', async (race) => {
      const { id } = await addListened(stores.one);
      const delivered: Delivery[] = [];
      for (let n = 0; n < 8; n += 1) delivered.push(await addDelivery(stores.one, await addWebhook(stores.one, id)));
      while ((await claim(stores.one)) !== null);
      await made(id, 3);
      const [count] = await race(
        (of) => fanOut(of),
        (of) =>
          Promise.all(delivered.map((one) => of.deliveries.finish(one, 'owner', outcome(NO, { nextAttemptAt: NOW })))),
      );
      expect(count).toBe(3);
      expect(await deliverAll(stores.two)).toHaveLength(4 * delivered.length);
    });

    test('stay in the outbox until they are deliveries', async () => {
      const { id } = await addListened(stores.one);
      await made(id, 2);
      expect(await stores.one.events.prune(Number.MAX_SAFE_INTEGER, 1)).toBe(1);
      await addWebhook(stores.one, id);
      await made(id);
      expect(await stores.one.events.prune(Number.MAX_SAFE_INTEGER, 10)).toBe(1);
      expect(await fanOut(stores.one)).toBe(1);
      expect(await stores.one.events.prune(Number.MAX_SAFE_INTEGER, 10)).toBe(1);
      expect(await deliverAll(stores.one)).toHaveLength(1);
    });
  });
}
