import { describe, expect, test } from 'bun:test';
import { outcomeOf } from '../../outcomes.ts';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleImage,
  sampleProcessing,
  sampleTemporary,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeMediaCovers } from './covers.ts';
import { describeFinishCover } from './finish-cover.ts';
import { describeMediaInclude } from './include.ts';
import { describeMediaInspection } from './inspection.ts';
import { describeMediaLists } from './lists.ts';
import { describeMediaRaces } from './races.ts';
import { describeMediaTotals } from './totals.ts';

/** The contract of {@link MediaRepository}. */
export function describeMediaRepository(name: string, open: OpenStores): void {
  describe(`${name}: media repository`, () => {
    describeKeeping(open);
    describeWalking(open);
    describeChanging(open);
    describeRemoving(open);
    describeMediaCovers(open);
    describeFinishCover(open);
    describeMediaLists(open);
    describeMediaInclude(open);
    describeMediaInspection(open);
    describeMediaRaces(open);
    describeMediaTotals(open);
  });
}

function describeKeeping(open: OpenStores): void {
  describe('keeping', () => {
    const stores = storesOfEachTest(open);

    test('keeps items of every state as they were given, for every instance', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const details = { folderId: folder.id, name: 'Été 😀 "%_\\\'.png', label: 'two\nlines', updatedAt: NOW + 1 };
      const items = [sampleImage, sampleVideo, sampleProcessing, sampleTemporary, sampleFailed].map((make) =>
        make(id, details),
      );
      expect(await stores.one.media.insert(items)).toBe('kept');
      for (const item of items) {
        expect(await stores.one.media.find(item.id)).toEqual({ item, cover: null });
        expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      }
    });

    test('keeps nothing if a folder is not one of the workspace', async () => {
      const { id } = await addWorkspace(stores.one);
      const theirs = await addFolder(stores.one, (await addWorkspace(stores.one)).id);
      for (const folderId of [newId(), theirs.id]) {
        const good = sampleImage(id);
        const bad = sampleImage(id, { folderId });
        expect(await stores.one.media.insert([good, bad])).toBe('folder_missing');
        expect(await stores.one.media.insert([bad, good])).toBe('folder_missing');
        expect(await stores.two.media.find(good.id)).toBeNull();
        expect(await stores.two.media.find(bad.id)).toBeNull();
      }
    });

    test('throws for a taken id, a taken full name or an unknown workspace, and keeps nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const kept = sampleImage(id);
      await stores.one.media.insert([kept]);
      for (const bad of [
        sampleImage(id, { id: kept.id }),
        sampleImage(id, { fullName: kept.fullName }),
        sampleImage(newId()),
      ]) {
        const good = sampleImage(id);
        expect(await outcomeOf(stores.two.media.insert([good, bad]))).toThrow();
        expect(await stores.one.media.find(good.id)).toBeNull();
      }
      expect(await stores.one.media.find(kept.id)).toEqual({ item: kept, cover: null });
    });

    test('finds the full names that have a row', async () => {
      const { id } = await addWorkspace(stores.one);
      const items = Array.from({ length: 3 }, (_, n) => sampleImage(id, { fullName: `${id}/${newId()}/É ${n}%.png` }));
      await stores.one.media.insert(items);
      const [first, second, third] = items.map((item) => item.fullName);
      const unknown = Array.from({ length: 997 }, () => `${id}/${newId()}/unknown.png`);
      const requested = [...unknown, ...items.map((item) => item.fullName.toUpperCase()).slice(1), `${first}`];
      expect(await stores.two.media.existingFullNames(requested)).toEqual(new Set([`${first}`]));
      expect(await stores.two.media.existingFullNames([`${third}`, `${second}`])).toEqual(
        new Set([`${second}`, `${third}`]),
      );
      expect(await stores.two.media.existingFullNames([])).toEqual(new Set());
    });
  });
}

function describeWalking(open: OpenStores): void {
  describe('iterating over active items', () => {
    const stores = storesOfEachTest(open);

    test('returns those of all workspaces and their covers once, in the order of their ids', async () => {
      const [mine, theirs] = [(await addWorkspace(stores.one)).id, (await addWorkspace(stores.one)).id];
      const video = sampleVideo(mine);
      const active = [sampleImage(theirs), video, sampleCover(video), sampleImage(mine), sampleVideo(theirs)];
      const others = [sampleProcessing(mine), sampleTemporary(theirs), sampleFailed(mine)];
      await stores.one.media.insert([...active, ...others]);
      const inOrder = active.toSorted((a, b) => (a.id < b.id ? -1 : 1));

      expect(await stores.two.media.listActive(null, 100)).toEqual(inOrder);
      expect(await stores.two.media.listActive(null, 2)).toEqual(inOrder.slice(0, 2));
      expect(await stores.two.media.listActive(inOrder[1]?.id ?? null, 2)).toEqual(inOrder.slice(2, 4));
      expect(await stores.two.media.listActive(inOrder[3]?.id ?? null, 2)).toEqual(inOrder.slice(4));
      expect(await stores.two.media.listActive(inOrder[4]?.id ?? null, 2)).toEqual([]);
    });

    test('continues after an item that was deleted meanwhile', async () => {
      const { id } = await addWorkspace(stores.one);
      const items = [sampleImage(id), sampleImage(id)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      await stores.one.media.insert(items);
      const [first] = await stores.two.media.listActive(null, 1);
      if (first) await stores.one.media.delete(first.id);
      expect(await stores.two.media.listActive(first?.id ?? null, 2)).toEqual(items.slice(1));
    });
  });
}

function describeChanging(open: OpenStores): void {
  describe('changing', () => {
    const stores = storesOfEachTest(open);

    test('changes only the given fields, of items in every state', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      for (const make of [sampleVideo, sampleProcessing, sampleTemporary, sampleFailed]) {
        let item = make(id, { name: 'before', label: 'Before' });
        await stores.one.media.insert([item]);
        for (const [time, change] of [
          { name: 'after' },
          { folderId: folder.id, label: null, altText: 'A beach', focus: { x: 0.25, y: 1 } },
          {},
          { folderId: null, label: 'After', altText: null, focus: { x: 0, y: 1 / 3 } },
          { focus: null },
        ].entries()) {
          item = { ...item, ...change, version: time + 2, updatedAt: NOW + time };
          const changed = { item, cover: null };
          expect(await stores.one.media.update(item.id, change, NOW + time)).toEqual(changed);
          expect(await stores.two.media.find(item.id)).toEqual(changed);
        }
      }
    });

    test('refuses a folder that is not one of the workspace, and changes nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const theirs = await addFolder(stores.one, (await addWorkspace(stores.one)).id);
      const item = sampleImage(id);
      await stores.one.media.insert([item]);
      for (const folderId of [newId(), theirs.id]) {
        const change = { name: 'changed', folderId };
        expect(await stores.two.media.update(item.id, change, NOW + 1)).toBe('folder_missing');
      }
      expect(await stores.one.media.find(item.id)).toEqual({ item, cover: null });
    });

    test('returns null for an unknown item, whatever the change', async () => {
      expect(await stores.one.media.update(newId(), { name: 'name', folderId: newId() }, NOW)).toBeNull();
    });
  });
}

function describeRemoving(open: OpenStores): void {
  describe('deleting', () => {
    const stores = storesOfEachTest(open);

    test('returns the full name once', async () => {
      const { id } = await addWorkspace(stores.one);
      const [item, other] = [sampleImage(id), sampleProcessing(id)];
      await stores.one.media.insert([item, other]);
      expect(await stores.one.media.delete(item.id)).toEqual([item.fullName]);
      expect(await stores.two.media.find(item.id)).toBeNull();
      expect(await stores.two.media.existingFullNames([item.fullName])).toEqual(new Set());
      expect(await stores.two.media.delete(item.id)).toBeNull();
      expect(await stores.two.media.find(other.id)).toEqual({ item: other, cover: null });
    });
  });
}
