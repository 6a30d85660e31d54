import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { ROUNDS, race } from '../race.ts';
import { addFolder, addWorkspace, NOW, sampleCover } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { activated, addHeldUpload, addUpload, becomeActive, becomeFailed, itemOf, sampleUpload } from './samples.ts';

const END = NOW + 1000;

const claimAs =
  (id: Uuid, owner: string, now = NOW) =>
  ({ presign }: Stores) =>
    presign.claim(id, { owner, until: now + 1000 }, now);

export function describePresignedRaces(open: OpenStores): void {
  describe('two callers at once', () => {
    const stores = storesOfEachTest(open);

    test('of two that claim one gets it, and it alone can finish', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addUpload(stores.one, id);
        const answers = await race(stores, round, claimAs(item.id, 'one'), claimAs(item.id, 'two'));
        expect(answers.toSorted()).toEqual([false, true]);
        const finish =
          (owner: string) =>
          ({ presign }: Stores) =>
            presign.finish(item.id, owner, becomeActive());
        expect(await race(stores, round, finish('one'), finish('two'))).toEqual(answers);
      }
    });

    test('of two that claim what ran out one gets it', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addHeldUpload(stores.one, 'dead', id);
        const answers = await race(stores, round, claimAs(item.id, 'one', END), claimAs(item.id, 'two', END));
        expect(answers.toSorted()).toEqual([false, true]);
      }
    });

    test('one owner gets it twice', async () => {
      const { item } = await addUpload(stores.one);
      expect(await race(stores, 0, claimAs(item.id, 'same'), claimAs(item.id, 'same'))).toEqual([true, true]);
    });

    test('of two that finish as one owner one does it', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addHeldUpload(stores.one, 'owner', id);
        const answers = await race(
          stores,
          round,
          ({ presign }) => presign.finish(item.id, 'owner', becomeActive()),
          ({ presign }) => presign.finish(item.id, 'owner', becomeFailed),
        );
        expect(answers.toSorted()).toEqual([false, true]);
        expect((await itemOf(stores.two, item.id))?.status).toBe(answers[0] ? 'active' : 'failed');
      }
    });

    test('a late owner finishes, or the next one claims: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addHeldUpload(stores.one, 'late', id);
        const [finished, claimed] = await race(
          stores,
          round,
          ({ presign }) => presign.finish(item.id, 'late', becomeActive()),
          claimAs(item.id, 'next', END),
        );
        expect(finished).toBe(!claimed);
        expect(await itemOf(stores.two, item.id)).toEqual(finished ? activated(item) : item);
      }
    });

    test('an item that is deleted stays so, whoever finishes', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addHeldUpload(stores.one, 'owner', id);
        const active = activated(item);
        const cover = sampleCover(active);
        const [finished, removed] = await race<unknown>(
          stores,
          round,
          ({ presign }) => presign.finish(item.id, 'owner', becomeActive(cover)),
          ({ media }) => media.remove(item.id),
        );
        const fullNames = finished ? [active.fullName, cover.fullName] : [item.fullName];
        expect(new Set(removed as string[])).toEqual(new Set(fullNames));
        for (const gone of [item.id, cover.id]) expect(await stores.two.media.find(gone)).toBeNull();
        expect(await stores.two.presign.find(item.id)).toBeNull();
      }
    });

    test('a change by a person and the end are both done', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { item } = await addHeldUpload(stores.one, 'owner', id);
        const change = { name: 'changed', label: 'Changed' };
        const [finished] = await race<unknown>(
          stores,
          round,
          ({ presign }) => presign.finish(item.id, 'owner', becomeActive()),
          ({ media }) => media.update(item.id, change, NOW + 1),
        );
        expect(finished).toBe(true);
        const expected = { ...activated(item), ...change };
        expect(await itemOf(stores.two, item.id)).toEqual(expected);
      }
    });

    test('a folder is removed, or it takes a new upload: never both', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const folder = await addFolder(stores.one, id);
        const upload = sampleUpload(id, { folderId: folder.id });
        const answers = await race<string | null>(
          stores,
          round,
          ({ folders }) => folders.remove(folder.id),
          ({ presign }) => presign.add([sampleUpload(id), upload]),
        );
        const removed = answers[0] === 'removed';
        expect(answers).toEqual(removed ? ['removed', 'folder_missing'] : ['not_empty', 'kept']);
        expect(await itemOf(stores.two, upload.item.id)).toEqual(removed ? null : upload.item);
      }
    });

    test('of two that add one item one does it', async () => {
      const { id } = await addWorkspace(stores.one);
      for (let round = 0; round < ROUNDS; round += 1) {
        const first = sampleUpload(id);
        const second = { ...first, upload: { ...first.upload, size: 1 } };
        const add =
          (upload: typeof first) =>
          ({ presign }: Stores) =>
            presign.add([upload]).then(
              () => true,
              () => false,
            );
        const answers = await race(stores, round, add(first), add(second));
        expect(answers.toSorted()).toEqual([false, true]);
        expect(await stores.two.presign.find(first.item.id)).toEqual((answers[0] ? first : second).upload);
      }
    });
  });
}
