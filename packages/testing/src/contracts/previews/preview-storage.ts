import { describe, expect, test } from 'bun:test';
import type { ObjectStorage, PreviewKey, PreviewStorage } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { eachRow } from '../each-row.ts';
import { listKeys, newKey, publishBytes, sampleBytes } from '../objects/samples.ts';
import { newId } from '../samples.ts';

/**
 * An empty storage of objects, two instances of the preview storage in the same store, and a function that cleans up.
 */
export interface OpenedPreviews {
  readonly storage: ObjectStorage;
  readonly one: PreviewStorage;
  readonly two: PreviewStorage;
  close(): Promise<void>;
}

/** The contract of {@link PreviewStorage}. `open` returns a new empty one. */
export function describePreviewStorage(name: string, open: () => Promise<OpenedPreviews>): void {
  const testWith = (title: string, run: (opened: OpenedPreviews) => Promise<void>): void =>
    test(title, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });

  describe(`${name} as a preview storage`, () => {
    testWith(
      'keeps the latest bytes under their key, and hides them from the object storage',
      async ({ storage, one, two }) => {
        const key = newPreview();
        expect(await one.open(key)).toBeNull();
        await one.put(key, sampleBytes(100_000, 1));
        await Promise.all([one.put(key, sampleBytes(70_001, 2)), two.put(key, sampleBytes(70_001, 2))]);
        const found = await two.open(key);
        expect(found?.size).toBe(70_001);
        expect(await readAll(found)).toEqual(sampleBytes(70_001, 2));
        const part = found?.body({ start: 3, end: 5 });
        expect(await new Response(part).bytes()).toEqual(sampleBytes(70_001, 2).slice(3, 6));
        expect(await two.open({ ...key, width: 640 })).toBeNull();
        expect(await Array.fromAsync(one.list())).toEqual([{ ...key, size: 70_001 }]);
        expect(await listKeys(storage)).toEqual([]);
      },
    );

    testWith('removes all previews of an item or of a workspace, and nothing else', async ({ storage, one, two }) => {
      const key = newPreview();
      const [wider, beside, elsewhere] = [{ ...key, width: 640 }, { ...key, id: newId() }, newPreview()];
      // This is the key of an object of the same item.
      const object = newKey().replace(/^[^/]+\/[^/]+/, `${key.workspaceId}/${key.id}`);
      await publishBytes(storage, object, sampleBytes(10));
      for (const each of [key, wider, beside, elsewhere]) await one.put(each, sampleBytes(10));
      const { workspaceId, id } = key;
      await two.purge({ workspaceId, id });
      await two.purge({ workspaceId, id });
      expect((await keysIn(one)).sort()).toEqual([beside, elsewhere].map(textOf).sort());
      await two.purge({ workspaceId });
      expect(await keysIn(one)).toEqual([textOf(elsewhere)]);
      expect(await listKeys(storage)).toEqual([object]);
    });

    testWith('refuses an invalid key', async ({ one }) => {
      const key = newPreview();
      const hostile = '../../x' as PreviewKey['id'];
      const rows: readonly (readonly [string, PreviewKey])[] = [
        ['an item', { ...key, id: hostile }],
        ['a workspace', { ...key, workspaceId: hostile }],
        ['a width', { ...key, width: 0.5 }],
      ];
      await eachRow(rows, async (each) => {
        expect(await outcomeOf(one.open(each))).toThrow(/Not the key/);
        expect(await outcomeOf(one.put(each, sampleBytes(1)))).toThrow(/Not the key/);
      });
      expect(await outcomeOf(one.purge({ workspaceId: key.workspaceId, id: hostile }))).toThrow(/Not a folder/);
      expect(await keysIn(one)).toEqual([]);
    });
  });
}

const newPreview = (): PreviewKey => ({ workspaceId: newId(), id: newId(), width: 320 });

const textOf = ({ workspaceId, id, width }: PreviewKey): string => `${workspaceId} ${id} ${width}`;

const keysIn = async (previews: PreviewStorage): Promise<string[]> =>
  (await Array.fromAsync(previews.list())).map(textOf);

async function readAll(found: Awaited<ReturnType<PreviewStorage['open']>>): Promise<Uint8Array> {
  if (found === null) throw new Error('There is none.');
  return new Response(found.body()).bytes();
}
