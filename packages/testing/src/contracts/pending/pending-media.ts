import { describe, expect, test } from 'bun:test';
import { activate, type MediaWithCover } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { LEASE_TIME } from '../job-samples.ts';
import { testRace } from '../race.ts';
import { addFolder, addWorkspace, NOW, newId, sampleCover, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import {
  arrived,
  arrives,
  breaksOff,
  mustNotDecide,
  PENDING_KINDS,
  type PendingKind,
  type PendingMedia,
} from './kinds.ts';

const END = NOW + LEASE_TIME;
const coverFor = ({ id, workspaceId }: PendingMedia) => sampleCover(sampleVideo(workspaceId, { id }));

/** The common contract of imports, fits and presigned uploads: how their items are inserted, and how they end. */
export function describePendingMedia(name: string, open: OpenStores): void {
  describe.each(PENDING_KINDS)(`${name}: items of $name`, (kind) => {
    describeAdding(open, kind);
    describeFinishing(open, kind);
    describeRaces(open, kind);
  });
}

function describeAdding(open: OpenStores, { sample, add, isPending }: PendingKind): void {
  describe('adding', () => {
    const stores = storesOfEachTest(open);

    test('throws for a taken id, a taken full name or an unknown workspace, and keeps nothing', async () => {
      const { id } = await addWorkspace(stores.one);
      const kept = sampleImage(id);
      await stores.one.media.insert([kept]);
      for (const bad of [sample(id, { id: kept.id }), sample(id, { fullName: kept.fullName }), sample(newId())]) {
        expect(await outcomeOf(add(stores.two, [bad]))).toThrow();
        expect(await stores.one.media.find(bad.id)).toEqual(bad.id === kept.id ? { item: kept, cover: null } : null);
        expect(await isPending(stores.one, bad.id)).toBe(false);
      }
    });

    test('keeps nothing if the folder is not one of the workspace', async () => {
      const { id } = await addWorkspace(stores.one);
      const theirs = await addFolder(stores.one, (await addWorkspace(stores.one)).id);
      for (const folderId of [newId(), theirs.id]) {
        const item = sample(id, { folderId });
        expect(await add(stores.two, [item])).toBe('folder_missing');
        expect(await stores.one.media.find(item.id)).toBeNull();
        expect(await isPending(stores.one, item.id)).toBe(false);
      }
    });

    test('is undone by deleting the item', async () => {
      const item = sample((await addWorkspace(stores.one)).id);
      await add(stores.one, [item]);
      expect(await isPending(stores.two, item.id)).toBe(true);
      expect(await stores.two.media.delete(item.id)).toEqual([item.fullName]);
      expect(await isPending(stores.one, item.id)).toBe(false);
    });
  });
}

function describeFinishing(open: OpenStores, { sample, add, claim, finish, isPending }: PendingKind): void {
  describe('finishing', () => {
    const stores = storesOfEachTest(open);

    /** Adds an item in a folder, with its lease held by `owner`. */
    const addHeld = async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sample(id, { folderId: (await addFolder(stores.one, id)).id, label: 'Label' });
      await add(stores.one, [item]);
      expect(await claim(stores.one, item.id, 'owner', NOW)).toBe(true);
      return item;
    };

    const expectUnchanged = async (item: PendingMedia) => {
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await isPending(stores.two, item.id)).toBe(true);
    };

    for (const withCover of [true, false]) {
      test(`makes the item active, ${withCover ? 'with its cover' : 'without a cover and a checksum'}, once`, async () => {
        const item = await addHeld();
        const active = arrived(item, withCover ? {} : { sha256: null });
        const cover = withCover ? coverFor(item) : null;
        expect(await finish(stores.one, item.id, 'owner', () => ({ item: active, cover }))).toBe(true);
        const expected = { item: active, cover };
        expect(await stores.two.media.find(item.id)).toEqual(expected);
        expect(await stores.two.media.existingFullNames([item.fullName])).toEqual(new Set());
        expect(await isPending(stores.two, item.id)).toBe(false);
        expect(await finish(stores.two, item.id, 'owner', mustNotDecide)).toBe(false);
        expect(await claim(stores.two, item.id, 'other', END)).toBe(false);
        expect(await stores.one.media.find(item.id)).toEqual(expected);
        const removed = new Set([active, ...(cover ? [cover] : [])].map(({ fullName }) => fullName));
        expect(new Set(await stores.two.media.delete(item.id))).toEqual(removed);
      });
    }

    test('marks the item as failed', async () => {
      const item = await addHeld();
      expect(await finish(stores.one, item.id, 'owner', breaksOff)).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual(breaksOff(item));
      expect(await isPending(stores.two, item.id)).toBe(false);
    });

    test('decides on the current item', async () => {
      const item = await addHeld();
      const change = { name: 'changed', label: null, folderId: (await addFolder(stores.two, item.workspaceId)).id };
      await stores.two.media.update(item.id, change, NOW + 3);
      const changed = { ...item, ...change, version: 2, updatedAt: NOW + 3 };
      const seen: PendingMedia[] = [];
      const decide = (current: PendingMedia) => {
        seen.push(current);
        return arrives()(current);
      };
      expect(await finish(stores.one, item.id, 'owner', decide)).toBe(true);
      expect(seen.at(-1)).toEqual(changed);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(changed), cover: null });
    });

    test('is refused without the lease or once it is lost, and possible for the next owner', async () => {
      const item = sample((await addWorkspace(stores.one)).id);
      await add(stores.one, [item]);
      for (const id of [item.id, newId()]) expect(await finish(stores.one, id, 'owner', mustNotDecide)).toBe(false);
      await claim(stores.one, item.id, 'owner', NOW);
      expect(await finish(stores.one, item.id, 'other', mustNotDecide)).toBe(false);
      expect(await claim(stores.two, item.id, 'next', END)).toBe(true);
      expect(await finish(stores.one, item.id, 'owner', mustNotDecide)).toBe(false);
      await expectUnchanged(item);
      expect(await finish(stores.two, item.id, 'next', breaksOff)).toBe(true);
      expect(await stores.one.media.find(item.id)).toEqual(breaksOff(item));
    });

    test('is refused if the item was deleted, and restores nothing', async () => {
      const item = await addHeld();
      const cover = coverFor(item);
      await stores.two.media.delete(item.id);
      expect(await finish(stores.one, item.id, 'owner', arrives(cover))).toBe(false);
      for (const { id } of [item, cover]) expect(await stores.two.media.find(id)).toBeNull();
    });

    test('changes nothing if something is refused, and can be retried', async () => {
      const item = await addHeld();
      const image = sampleImage(item.workspaceId);
      await stores.one.media.insert([image]);
      const cover = coverFor(item);
      const { name, fullName, content } = image;
      for (const decide of [
        mustNotDecide,
        arrives({ ...cover, id: image.id }),
        arrives({ ...cover, fullName }),
        arrives({ ...cover, coverOf: newId() }),
        (current: PendingMedia) => ({ item: activate(current, { name, fullName, content }, NOW), cover }),
      ]) {
        expect(await outcomeOf(finish(stores.one, item.id, 'owner', decide))).toThrow();
        await expectUnchanged(item);
      }
      expect(await stores.two.media.find(image.id)).toEqual({ item: image, cover: null });
      expect(await finish(stores.one, item.id, 'owner', arrives(cover))).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover });
    });
  });
}

function describeRaces(open: OpenStores, { sample, add, claim, finish, isPending }: PendingKind): void {
  describe('two concurrent callers', () => {
    const stores = storesOfEachTest(open);

    /** Adds an item with its lease held by `owner`. */
    const addHeld = async () => {
      const item = sample((await addWorkspace(stores.one)).id);
      await add(stores.one, [item]);
      expect(await claim(stores.one, item.id, 'owner', NOW)).toBe(true);
      return item;
    };

    testRace(stores, 'claim a free item, or one whose lease expired, and one of them gets it', async (race) => {
      const item = sample((await addWorkspace(stores.one)).id);
      await add(stores.one, [item]);
      for (const now of [NOW, END]) {
        const answers = await race(
          (of) => claim(of, item.id, 'one', now),
          (of) => claim(of, item.id, 'two', now),
        );
        expect(answers.toSorted()).toEqual([false, true]);
      }
      await stores.one.media.delete(item.id);
    });

    testRace(stores, 'finish an item or claim it after its lease expired, but never both', async (race) => {
      const item = await addHeld();
      const [finished, claimed] = await race(
        (of) => finish(of, item.id, 'owner', arrives(coverFor(item))),
        (of) => claim(of, item.id, 'other', END),
      );
      expect([finished, claimed]).not.toEqual([true, true]);
      // If two calls meet, the first may find its lease expired while the second skips the item because it is locked.
      // The item is then free.
      if (!finished && !claimed) expect(await claim(stores.two, item.id, 'other', END)).toBe(true);
      expect((await stores.two.media.find(item.id))?.item).toEqual(finished ? arrived(item) : item);
      await stores.one.media.delete(item.id);
    });

    testRace(stores, 'finish an item once', async (race) => {
      const item = await addHeld();
      const covers = [coverFor(item), coverFor(item)] as const;
      const answers = await race(
        (of) => finish(of, item.id, 'owner', arrives(covers[0])),
        (of) => finish(of, item.id, 'owner', arrives(covers[1])),
      );
      expect(answers.toSorted()).toEqual([false, true]);
      const cover = covers[answers[0] ? 0 : 1];
      expect(await stores.two.media.find(item.id)).toEqual({ item: arrived(item), cover });
    });

    testRace(stores, 'lose no change of an item while it is finished', async (race) => {
      const item = await addHeld();
      const folder = await addFolder(stores.one, item.workspaceId);
      const change = { name: 'changed', label: 'Changed', folderId: folder.id };
      const [finished, changed] = await race(
        (of) => finish(of, item.id, 'owner', arrives()),
        ({ media }) => media.update(item.id, change, NOW + 9),
      );
      expect(finished).toBe(true);
      const isBefore = (changed as MediaWithCover).item.status === item.status;
      const expected = isBefore ? arrived({ ...item, ...change }) : { ...arrived(item), ...change, updatedAt: NOW + 9 };
      expect(await stores.two.media.find(item.id)).toEqual({ item: { ...expected, version: 3 }, cover: null });
    });

    testRace(stores, 'delete an item even while it is finished, and return all its objects', async (race) => {
      const item = await addHeld();
      const cover = coverFor(item);
      const [finished, removed] = await race(
        (of) => finish(of, item.id, 'owner', arrives(cover)),
        ({ media }) => media.delete(item.id),
      );
      const fullNames = finished ? [arrived(item).fullName, cover.fullName] : [item.fullName];
      expect(new Set(removed as string[])).toEqual(new Set(fullNames));
      for (const { id } of [item, cover]) expect(await stores.two.media.find(id)).toBeNull();
      expect(await isPending(stores.two, item.id)).toBe(false);
    });

    testRace(stores, 'delete a folder or put a new item into it, but never both', async (race) => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const item = sample(id, { folderId: folder.id });
      const answers = await race(
        ({ folders }) => folders.delete(folder.id),
        (of) => add(of, [item]),
      );
      const isRemoved = answers[0] === 'deleted';
      expect(answers).toEqual(isRemoved ? ['deleted', 'folder_missing'] : ['not_empty', 'kept']);
      expect(await stores.two.media.find(item.id)).toEqual(isRemoved ? null : { item, cover: null });
      expect(await isPending(stores.two, item.id)).toBe(!isRemoved);
      await stores.one.media.delete(item.id);
    });
  });
}
