import { describe, expect, setSystemTime, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addFolder, addListened, follow, NOW, newId, sampleImage } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

export function describeEventReading(open: OpenStores): void {
  describe('are read', () => {
    const stores = storesOfEachTest(open);

    const addImages = async (of: Stores, workspaceId: Uuid, count: number): Promise<readonly Uuid[]> => {
      const items = Array.from({ length: count }, () => sampleImage(workspaceId));
      for (const item of items) await of.media.insert([item]);
      return items.map(({ id }) => id);
    };

    const positions = async (of: Stores, after: number): Promise<readonly number[]> =>
      (await follow(of, after, 100)).map(({ position }) => position);

    test('in the order of the changes, after a position', async () => {
      const { id } = await addListened(stores.one);
      const before = await stores.two.events.newest();
      const ids = await addImages(stores.one, id, 5);
      const found = await stores.two.events.listAfter(before, 1000);
      expect(found.map(({ event: { content } }) => content.kind === 'media' && content.media.item.id)).toEqual([
        ...ids,
      ]);
      const places = found.map(({ position }) => position);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(await stores.one.events.newest()).toBe(places.at(-1) ?? 0);
      expect(await stores.two.events.listAfter(before, 2)).toEqual(found.slice(0, 2));
      expect(await stores.two.events.listAfter(places[1] ?? 0, 2)).toEqual(found.slice(2, 4));
      expect(await stores.two.events.listAfter(places.at(-1) ?? 0, 2)).toEqual([]);
    });

    test('of one workspace only', async () => {
      const [{ id }, other] = [await addListened(stores.one), await addListened(stores.one)];
      const before = await stores.two.events.newest();
      for (let round = 0; round < 3; round += 1) {
        await addImages(stores.one, id, 1);
        await addImages(stores.two, other.id, 2);
      }
      const all = await stores.one.events.listAfter(before, 100);
      const own = all.filter(({ event }) => event.workspaceId === id);
      const [first, second, third] = own;
      if (!first || !second || !third) throw new Error('There are too few events.');
      const { events } = stores.two;
      const last = await events.newest();
      expect(await events.listOf(id, before, last, 100)).toEqual(own);
      expect(await events.listOf(id, before, second.position, 100)).toEqual([first, second]);
      expect(await events.listOf(id, first.position, last, 1)).toEqual([second]);
      const { at } = second.event;
      expect(await events.find(id, second.event.id, at)).toBe(second.position);
      expect(await events.find(id, second.event.id, at + 1)).toBeNull();
      expect(await events.find(other.id, second.event.id, 0)).toBeNull();
      expect(await events.find(id, newId(), 0)).toBeNull();
    });

    test('with ids that reveal nothing of their order', async () => {
      const { id } = await addListened(stores.one);
      const before = await stores.two.events.newest();
      await addImages(stores.one, id, 40);
      const ids = (await follow(stores.two, before, 100)).map(({ event }) => event.id);
      expect(new Set(ids).size).toBe(40);
      // The ids are random (UUID version 4).
      for (const one of ids)
        expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ids).not.toEqual(ids.toSorted());
    });

    test('with increasing times for each resource, even while the clock stops or goes back', async () => {
      const { id } = await addListened(stores.one);
      const before = await stores.two.events.newest();
      const image = sampleImage(id);
      setSystemTime(NOW);
      try {
        await stores.one.media.insert([image]);
        await stores.one.media.update(image.id, { name: 'a' }, NOW);
        setSystemTime(NOW - 5000);
        await stores.two.media.update(image.id, { name: 'b' }, NOW);
        await addFolder(stores.one, id);
        setSystemTime(NOW + 5000);
        await stores.one.media.delete(image.id);
      } finally {
        setSystemTime();
      }
      const found = await stores.two.events.listAfter(before, 10);
      expect(found.map(({ event: { at } }) => at)).toEqual([NOW, NOW + 1, NOW + 2, NOW - 5000, NOW + 5000]);
    });

    test('until they are pruned, the oldest first; positions are never reused', async () => {
      const { id } = await addListened(stores.one);
      const before = await stores.two.events.newest();
      for (const at of [NOW, NOW + 1, NOW + 2, NOW + 3]) {
        setSystemTime(at);
        await addImages(stores.one, id, 1);
      }
      setSystemTime();
      const [first, second, third, fourth] = await stores.one.events.listAfter(before, 10);
      if (!first || !second || !third || !fourth) throw new Error('There are too few events.');
      expect(await stores.two.events.prune(NOW + 3, 2)).toBe(2);
      expect(await stores.one.events.listAfter(before, 10)).toEqual([third, fourth]);
      expect(await stores.one.events.find(id, first.event.id, 0)).toBeNull();
      expect(await stores.two.events.prune(NOW + 3, 10)).toBe(1);
      expect(await stores.two.events.prune(NOW + 3, 10)).toBe(0);
      expect(await stores.two.events.prune(NOW + 4, 10)).toBe(1);
      expect(await stores.one.events.newest()).toBe(fourth.position);
      await addImages(stores.one, id, 1);
      expect(Math.min(...(await positions(stores.two, before)))).toBeGreaterThan(fourth.position);
    });

    test('no longer for a removed workspace, whose removal records none', async () => {
      const [{ id }, other] = [await addListened(stores.one), await addListened(stores.one)];
      await addImages(stores.one, id, 5);
      await addFolder(stores.one, id);
      await addImages(stores.one, other.id, 1);
      await stores.one.workspaces.beginRemoval(id, NOW);
      const before = await stores.two.events.newest();
      while ((await stores.one.workspaces.removeBatch(id, 2, NOW)) !== null);
      expect(await stores.two.events.listAfter(before, 10)).toEqual([]);
      const last = await stores.two.events.newest();
      expect(await stores.two.events.listOf(id, 0, last, 10)).toEqual([]);
      expect(await stores.two.events.listOf(other.id, 0, last, 10)).toHaveLength(1);
    });
  });
}
