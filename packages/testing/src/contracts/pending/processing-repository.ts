import { describe, expect, test } from 'bun:test';
import { JOB_RULES, type ProcessingMedia } from '@postshelf/domain';
import { addFit, addImport, claim, claimAll, leaseOf, SAMPLE_FIT, SAMPLE_IMPORT } from '../job-samples.ts';
import { addWorkspace, NOW, newId, sampleFit, sampleProcessing, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { breaksOff, mustNotDecide } from './kinds.ts';

const MAX_FITS = JOB_RULES.fit.max ?? 0;

/** The contract of {@link ProcessingRepository}, except for what {@link describePendingMedia} covers. */
export function describeProcessingRepository(name: string, open: OpenStores): void {
  describe(`${name}: processing items`, () => {
    const stores = storesOfEachTest(open);

    const beginFit = (of: Stores, item: ProcessingMedia, start = { dueAt: NOW }) =>
      of.processing.begin(item, { kind: 'fit', payload: SAMPLE_FIT }, start);

    test('are stored together with their job, or not at all', async () => {
      const { id } = await addWorkspace(stores.one);
      const item = sampleFit(id);
      expect(await beginFit(stores.one, item)).toBe('kept');
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      const homeless = sampleFit(id, { folderId: newId() });
      const start = { lease: leaseOf('server') };
      const job = { kind: 'import', payload: SAMPLE_IMPORT } as const;
      expect(await stores.one.processing.begin(homeless, job, start)).toBe('folder_missing');
      expect(await stores.two.media.find(homeless.id)).toBeNull();
      expect(await claimAll(stores.two, 'fit', 'worker')).toEqual([item.id]);
      expect((await stores.two.jobs.figures()).get('import')).toMatchObject({ waiting: 0, running: 0 });
    });

    test(`are at most ${MAX_FITS} fits of a workspace, free or not, and any number of imports`, async () => {
      const { id } = await addWorkspace(stores.one);
      await Promise.all(Array.from({ length: MAX_FITS }, () => addFit(stores.one, id)));
      const jobs = await claim(stores.one, 'fit', 'worker', { rules: { batch: 2, order: 'oldest' } });
      const refused = sampleFit(id);
      expect(await beginFit(stores.two, refused)).toBe('full');
      expect(await stores.two.media.find(refused.id)).toBeNull();
      await addFit(stores.two, (await addWorkspace(stores.one)).id);
      await addImport(stores.two, id);
      // When a job of the kind `fit` has ended, another one can be added.
      const [first, second] = jobs.map(({ subjectId }) => ({ kind: 'fit', subjectId }) as const);
      if (!first || !second) throw new Error('There are no fits.');
      expect(await stores.one.processing.finish(first, 'worker', breaksOff)).toBe(true);
      expect(await beginFit(stores.two, refused)).toBe('kept');
      // If two are added at the same time and there is room for one, the other is refused.
      expect(await stores.one.processing.finish(second, 'worker', breaksOff)).toBe(true);
      const both = [stores.one, stores.two].map((of) => beginFit(of, sampleFit(id)));
      expect((await Promise.all(both)).toSorted()).toEqual(['full', 'kept']);
    });

    test('are finished by the owner of the job of the right kind', async () => {
      const item = sampleFit((await addWorkspace(stores.one)).id);
      await beginFit(stores.one, item);
      await claim(stores.one, 'fit', 'worker');
      const key = { kind: 'import', subjectId: item.id } as const;
      expect(await stores.one.processing.finish(key, 'worker', mustNotDecide)).toBe(false);
      expect(await stores.one.processing.finish({ ...key, kind: 'fit' }, 'worker', breaksOff)).toBe(true);
      expect(await stores.two.media.find(item.id)).toEqual(breaksOff(item));
    });

    test('may become a video whose cover is due, and keep what they were made from', async () => {
      const item = sampleFit((await addWorkspace(stores.one)).id);
      await beginFit(stores.one, item);
      await claim(stores.one, 'fit', 'worker');
      const { content } = sampleVideo(newId());
      const become = () => ({
        item: { ...item, status: 'active', content, coverOf: null } as const,
        cover: 'due' as const,
      });
      const key = { kind: 'fit', subjectId: item.id } as const;
      expect(await stores.one.processing.finish(key, 'worker', become)).toBe(true);
      expect(await claimAll(stores.two, 'cover', 'worker')).toEqual([item.id]);
      expect((await stores.two.media.find(item.id))?.item).toMatchObject({ fittedFrom: item.fittedFrom as never });
    });

    test("can't become aliases of bytes that no item has", async () => {
      const item = sampleProcessing((await addWorkspace(stores.one)).id);
      const start = { lease: leaseOf('worker') };
      await stores.one.processing.begin(item, { kind: 'import', payload: SAMPLE_IMPORT }, start);
      const key = { kind: 'import', subjectId: item.id } as const;
      const alias = () => ({ item: null, sha256: 'a1'.repeat(32), aliasUntil: NOW + 1 });
      expect(await stores.one.processing.finish(key, 'worker', alias)).toBe(false);
      expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
      expect(await stores.one.processing.finish(key, 'worker', breaksOff)).toBe(true);
    });
  });
}
