import { describe, expect, test } from 'bun:test';
import { type StorageMark, type StorageMarker, UnreadableMark } from '@postshelf/domain';
import { thrownBy } from '../../outcomes.ts';
import { eachRow } from '../each-row.ts';
import { newId } from '../samples.ts';

/** Two markers of the same storage, which has no mark yet. */
export interface OpenedMarkers {
  readonly one: StorageMarker;
  readonly two: StorageMarker;
  /** Overwrites the mark with other bytes. */
  spoil(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const NOW = Date.UTC(2026, 10, 22, 3, 22, 10, 123);

const marked = (details: Partial<StorageMark> = {}): StorageMark => ({
  library: newId(),
  generation: 0,
  restoring: null,
  ...details,
});

const UNREADABLE: readonly (readonly [string, string | Uint8Array])[] = [
  ['nothing', ''],
  ['invalid JSON', 'mine!'],
  ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['an array', '[]'],
  ['null', 'null'],
  ['no library', '{"generation":1,"restoring":null}'],
  ['an invalid library', '{"library":"../../..","generation":1,"restoring":null}'],
  ['neither a library nor a restore', '{"library":null,"generation":1,"restoring":null}'],
  ['half a generation', `{"library":"${newId()}","generation":0.5,"restoring":null}`],
  ['a generation below 0', `{"library":"${newId()}","generation":-1,"restoring":null}`],
  ['an invalid time', `{"library":"${newId()}","generation":1,"restoring":"yesterday"}`],
  ['an invalid fence', `{"library":"${newId()}","generation":1,"restoring":null,"fence":7}`],
  ['no field for a restore', `{"library":"${newId()}","generation":1}`],
  ['more bytes than any mark has', `{"library":"${newId()}","generation":1,"restoring":null}${' '.repeat(10_000)}x`],
];

/** The contract of {@link StorageMarker}. */
export function describeStorageMarker(name: string, open: () => Promise<OpenedMarkers>): void {
  describe(`${name}: library mark`, () => {
    const testMarkers = (title: string, run: (markers: OpenedMarkers) => Promise<void>): void =>
      test(title, async () => {
        const markers = await open();
        try {
          await run(markers);
        } finally {
          await markers.close();
        }
      });

    testMarkers('reads a complete mark while marks are written', async ({ one, two }) => {
      const marks = Array.from({ length: 20 }, (_, generation) => marked({ generation: 10 ** (generation % 10) }));
      await one.write(marked());
      const writing = marks.reduce((before, mark) => before.then(() => two.write(mark)), Promise.resolve());
      let isOver = false;
      const reading = async (): Promise<void> => {
        while (!isOver) expect((await one.read())?.library).toBeString();
      };
      const readers = [reading(), reading(), reading()];
      await writing;
      isOver = true;
      await Promise.all(readers);
      expect(await one.read()).toEqual(marks.at(-1) ?? null);
    });

    testMarkers('finds no mark in a storage without one', async ({ one }) => {
      expect(await one.read()).toBeNull();
    });

    testMarkers('keeps what was written, for every instance', async ({ one, two }) => {
      const marks = [
        marked(),
        marked({ generation: Number.MAX_SAFE_INTEGER }),
        marked({ restoring: NOW }),
        marked({ library: null, generation: 3, restoring: NOW }),
        marked({ fence: newId() }),
        marked({ fence: newId(), movedTo: 'the bucket "media"' }),
      ];
      for (const mark of marks) {
        await one.write(mark);
        expect(await two.read()).toEqual(mark);
        expect(await one.read()).toEqual(mark);
      }
    });

    testMarkers('keeps one complete mark of several that are written concurrently', async ({ one, two }) => {
      const marks = Array.from({ length: 20 }, (_, generation) => marked({ generation }));
      await Promise.all(marks.map((mark, n) => (n % 2 === 0 ? one : two).write(mark)));
      const kept = await one.read();
      expect(marks.filter((mark) => mark.library === kept?.library)).toEqual([kept as StorageMark]);
    });

    testMarkers('lets one of several callers write the first mark, and keeps it', async ({ one, two }) => {
      const marks = Array.from({ length: 10 }, () => marked());
      const outcomes = await Promise.all(marks.map((mark, n) => (n % 2 === 0 ? one : two).create(mark)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await one.read()).toEqual(marks[outcomes.indexOf(true)] as StorageMark);
      expect(await two.create(marked())).toBe(false);
      expect(await one.read()).toEqual(marks[outcomes.indexOf(true)] as StorageMark);
    });

    testMarkers('replaces only the expected mark', async ({ one, two }) => {
      const [first, second, third] = [marked(), marked({ fence: newId() }), marked({ fence: newId() })];
      expect(await one.swap(first, second)).toBe(false);
      expect(await one.read()).toBeNull();
      await one.write(first);
      expect(await two.swap(first, second)).toBe(true);
      expect(await one.read()).toEqual(second);
      expect(await one.swap(first, third)).toBe(false);
      expect(await one.swap({ ...second, generation: 1 }, third)).toBe(false);
      expect(await two.read()).toEqual(second);
      expect(await one.swap(second, third)).toBe(true);
      expect(await two.read()).toEqual(third);
    });

    testMarkers('lets one of several callers replace the mark', async ({ one, two }) => {
      const first = marked();
      await one.write(first);
      const marks = Array.from({ length: 10 }, () => marked({ fence: newId() }));
      const outcomes = await Promise.all(marks.map((mark, n) => (n % 2 === 0 ? one : two).swap(first, mark)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await two.read()).toEqual(marks[outcomes.indexOf(true)] as StorageMark);
    });

    testMarkers('throws for an unreadable mark until it is overwritten', ({ one, spoil }) =>
      eachRow(UNREADABLE, async (content) => {
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        await spoil(bytes);
        expect(await thrownBy(one.read())).toBeInstanceOf(UnreadableMark);
        const mark = marked();
        await one.write(mark);
        expect(await one.read()).toEqual(mark);
      }),
    );
  });
}
