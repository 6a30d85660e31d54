import { describe, expect, test } from 'bun:test';
import { LISTENED } from '@postshelf/domain';
import { addFolder, addWorkspace, eventsDuring, NOW, sampleFolder, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { addWebhook } from '../webhooks/samples.ts';

export function describeListening(open: OpenStores): void {
  describe('are recorded', () => {
    const stores = storesOfEachTest(open);

    const countOf = async (work: () => Promise<unknown>): Promise<number> =>
      (await eventsDuring(stores.two, work)).length;

    test('while a client listens to the workspace', async () => {
      const [{ id }, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const { one, two } = stores;
      const addTwo = async (): Promise<void> => {
        await addFolder(one, id);
        await addFolder(one, other.id);
      };
      expect(await countOf(addTwo)).toBe(0);
      await two.events.listen([id], NOW + LISTENED.granularity);
      expect(await countOf(addTwo)).toBe(1);
      await two.events.endListening(NOW + LISTENED.granularity);
      expect(await countOf(addTwo)).toBe(1);
      await two.events.listen([id], NOW + 2 * LISTENED.granularity + 1);
      await one.events.endListening(NOW + 2 * LISTENED.granularity + 1);
      expect(await countOf(addTwo)).toBe(1);
      await one.events.endListening(NOW + 2 * LISTENED.granularity + 2);
      expect(await countOf(addTwo)).toBe(0);
    });

    test('while the workspace has webhooks, enabled or not', async () => {
      const { id } = await addWorkspace(stores.one);
      const { id: webhookId } = await addWebhook(stores.one, id);
      await stores.one.events.endListening(Number.MAX_SAFE_INTEGER);
      expect(await countOf(() => addFolder(stores.one, id))).toBe(1);
      await stores.one.webhooks.update(webhookId, { enabled: false }, NOW);
      expect(await countOf(() => addFolder(stores.one, id))).toBe(1);
      await stores.one.webhooks.delete(webhookId, NOW);
      while ((await stores.one.deliveries.prune(NOW, 100)) > 0);
      expect(await countOf(() => addFolder(stores.one, id))).toBe(0);
    });

    test('but not because the workspace has a quota', async () => {
      const { id } = await addWorkspace(stores.one);
      await stores.one.workspaces.update(id, { maxItems: 10 });
      expect(await countOf(() => stores.one.media.insert([sampleImage(id)]))).toBe(0);
      await stores.one.events.listen([id], Number.MAX_SAFE_INTEGER);
      expect(await countOf(() => stores.one.media.insert([sampleImage(id)]))).toBe(1);
    });

    test('but not for a new workspace without listeners', async () => {
      const folder = sampleFolder((await addWorkspace(stores.two)).id, { isSystem: true });
      const system = { ...folder, workspaceId: folder.id };
      expect(await countOf(() => addWorkspace(stores.one, [system]))).toBe(0);
    });

    test('after a mark, which no list contains, if no event is new enough', async () => {
      const [{ id }, other] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
      const { one, two } = stores;
      await one.events.listen([id, other.id], Number.MAX_SAFE_INTEGER);
      const before = await two.events.newest();
      const mark = await one.events.mark(id, NOW, NOW);
      const place = (await two.events.find(id, mark, NOW)) ?? 0;
      expect(place).toBeGreaterThan(before);
      expect(await two.events.mark(id, NOW, NOW + 1)).toBe(mark);
      expect(await two.events.mark(other.id, NOW, NOW)).not.toBe(mark);
      expect(await two.events.listAfter(before, 10)).toEqual([]);
      const [event] = await eventsDuring(two, () => addFolder(one, id));
      expect(await one.events.mark(id, 0, NOW)).toBe(event?.id as never);
      expect(await one.events.mark(id, (event?.at ?? 0) + 1, NOW)).not.toBe(event?.id as never);
      const found = await two.events.listOf(id, place, await two.events.newest(), 10);
      expect(found.map(({ event }) => event)).toEqual([event as never]);
    });
  });
}
