import { describe, expect, test } from 'bun:test';
import type { ByteSource, CoverMaker } from '@postshelf/domain';
import { thrownBy } from '../../outcomes.ts';

interface CoverSample {
  readonly name: string;
  open(): Promise<ByteSource>;
}

interface VideoSample extends CoverSample {
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
}

export interface CoverSamples {
  /** Small videos, at least one. */
  readonly videos: readonly VideoSample[];
  /** Files from which no cover can be made. */
  readonly others: readonly CoverSample[];
}

const MAX_COVER_BYTES = 10 * 1024 * 1024;
const JPEG_START = [0xff, 0xd8, 0xff];

/** The contract of {@link CoverMaker} with its tool installed. The adapter's test provides the files. */
export function describeCoverMaker(name: string, create: () => CoverMaker, samples: CoverSamples): void {
  describe(`${name} as a cover maker`, () => {
    test.each([...samples.videos])(
      'makes a cover of $name with the same aspect ratio',
      async ({ open, width, height }) => {
        const cover = await create().make(await open());
        expect(cover && [cover.width, cover.height]).toEqual([width, height]);
        expect([...(cover?.bytes.subarray(0, 3) ?? [])]).toEqual(JPEG_START);
        expect(cover?.bytes.length).toBeLessThanOrEqual(MAX_COVER_BYTES);
      },
    );

    test('makes the same cover of a video that is not a local file', async () => {
      const [video] = samples.videos;
      if (!video) throw new Error('The contract needs a video.');
      const { size, read } = await video.open();
      expect(await create().make({ size, read })).toMatchObject({ width: video.width, height: video.height });
    });

    test.each([...samples.others])('makes no cover of $name', async ({ open }) => {
      expect(await create().make(await open())).toBeNull();
    });

    test('rethrows errors of the source', async () => {
      const error = new Error('The storage is out of reach.');
      const read = () => Promise.reject(error);
      expect(await thrownBy(create().make({ size: 1000, read }))).toBe(error);
    });

    test('makes no cover of a source that ends before its size', async () => {
      const source = { size: 1000, read: async () => new Uint8Array() };
      expect(await create().make(source)).toBeNull();
    });

    test('makes several covers concurrently', async () => {
      const maker = create();
      const open = samples.videos[0]?.open;
      if (open === undefined) throw new Error('The contract needs a video.');
      const covers = await Promise.all(Array.from({ length: 8 }, async () => maker.make(await open())));
      expect(covers.every((cover) => cover !== null)).toBe(true);
    });
  });
}
