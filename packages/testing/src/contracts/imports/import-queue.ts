import { describe, expect, test } from 'bun:test';
import { NO_TERMS } from '@postshelf/domain';
import { breaksOff } from '../pending/kinds.ts';
import { addFolder, addWorkspace, NOW, newId, sampleImage, sampleProcessing } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';
import { describeImportClaims } from './claims.ts';
import { describeImportFairness } from './fairness.ts';
import { describeImportLeases } from './leases.ts';
import { describeImportRaces } from './races.ts';
import { addImport, claim, leaseOf, SAMPLE_URL } from './samples.ts';

/** The contract of {@link ImportQueue}. */
export function describeImportQueue(name: string, open: OpenStores): void {
  describe(`${name}: import queue`, () => {
    describeAdding(open);
    describeDepth(open);
    describeImportClaims(open);
    describeImportFairness(open);
    describeImportLeases(open);
    describeImportRaces(open);
  });
}

function describeAdding(open: OpenStores): void {
  describe('adding', () => {
    const stores = storesOfEachTest(open);

    test('keeps the item and a free job, for every instance', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id);
      const url = `https://media.example/${'é😀"%_\\\''.repeat(100)}`;
      const item = sampleProcessing(id, { folderId: folder.id, label: 'Label', updatedAt: NOW + 1 });
      const terms = { sha256: 'a1'.repeat(32), onDuplicate: 'return' } as const;
      expect(await stores.one.imports.add(item, { url, attempts: 2, terms }, { dueAt: NOW })).toBe('kept');
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      const job = { mediaId: item.id, workspaceId: id, url, attempts: 2, claims: 1, terms };
      expect(await claim(stores.two, 'worker')).toEqual([job]);
    });

    test('keeps a job under a lease, with one claim counted', async () => {
      const { id } = await addWorkspace(stores.one);
      const lease = leaseOf('server');
      const item = await addImport(stores.one, id, { attempts: 1, start: { lease } });
      expect(await claim(stores.two, 'worker', { now: lease.until - 1 })).toEqual([]);
      expect(await stores.two.imports.renew([item.id], lease)).toEqual(new Set([item.id]));
      const job = { mediaId: item.id, workspaceId: id, url: SAMPLE_URL, attempts: 1, claims: 2, terms: NO_TERMS };
      expect(await claim(stores.two, 'worker', { now: lease.until })).toEqual([job]);
    });

    test('keeps the id of the request that began it', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleProcessing(id);
      await stores.one.imports.add(item, { url: SAMPLE_URL, attempts: 0, requestId: 'from-a-proxy' }, { dueAt: NOW });
      expect(await claim(stores.two, 'worker')).toEqual([
        {
          mediaId: item.id,
          workspaceId: id,
          url: SAMPLE_URL,
          attempts: 0,
          claims: 1,
          terms: NO_TERMS,
          requestId: 'from-a-proxy',
        },
      ]);
    });

    test('keeps nothing under a lease when the folder is not one of the workspace', async () => {
      const item = sampleProcessing((await addWorkspace(stores.one)).id, { folderId: newId() });
      const start = { lease: leaseOf('worker') };
      expect(await stores.one.imports.add(item, { url: SAMPLE_URL, attempts: 0 }, start)).toBe('folder_missing');
      expect(await stores.two.media.find(item.id)).toBeNull();
      expect(await stores.two.imports.depth()).toEqual({ jobs: 0, oldest: null });
    });
  });
}

function describeDepth(open: OpenStores): void {
  describe('depth', () => {
    const stores = storesOfEachTest(open);

    test('counts all unfinished jobs, and returns when the oldest was added', async () => {
      const { id } = await addWorkspace(stores.one);
      expect(await stores.one.imports.depth()).toEqual({ jobs: 0, oldest: null });
      const start = { lease: leaseOf('worker') };
      await addImport(stores.one, id, { createdAt: NOW + 2, start: { dueAt: NOW - 5 } });
      const oldest = await addImport(stores.one, id, { createdAt: NOW + 1, start });
      const deleted = await addImport(stores.one, id, { createdAt: NOW + 3 });
      expect(await stores.two.imports.depth()).toEqual({ jobs: 3, oldest: NOW + 1 });
      await stores.one.imports.finish(oldest.id, 'worker', breaksOff);
      expect(await stores.two.imports.depth()).toEqual({ jobs: 2, oldest: NOW + 2 });
      await stores.one.media.remove(deleted.id);
      expect(await stores.two.imports.depth()).toEqual({ jobs: 1, oldest: NOW + 2 });
    });

    test('counts no other media', async () => {
      const { id } = await addWorkspace(stores.one);
      await stores.one.media.insert([sampleImage(id)]);
      expect(await stores.two.imports.depth()).toEqual({ jobs: 0, oldest: null });
    });
  });
}
