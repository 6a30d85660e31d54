import {
  type ByteSource,
  type CoverMaker,
  type FrameTaker,
  type ImageConverter,
  isSound,
  kindOf,
  type LocationFinder,
  type MadeFile,
  type MediaFitter,
  type MediaInspector,
  type Patch,
  type PreviewMaker,
  type UnsupportedFile,
} from '@postshelf/domain';
import { FAKE_HEAD_LENGTH, fakeFactsOf, fakeFactsOfHeic, fakeFile, fakeTypeOf, isFakeHeic } from './fake-files.ts';

/** Inspects files made by `fakeFile`. */
export function fakeInspector(): MediaInspector {
  return {
    headLength: FAKE_HEAD_LENGTH,
    recognise: async (head) => (isFakeHeic(head) ? HEIC : fakeTypeOf(head)),
    async inspect(source) {
      const head = await source.read(0, FAKE_HEAD_LENGTH);
      return isFakeHeic(head) ? HEIC : fakeFactsOf(head);
    },
    inspectWhile: async (_, body, read) => ({ result: await read(body), facts: null }),
  };
}

const HEIC: UnsupportedFile = { type: null, fault: 'is a HEIC image.', convertible: 'image/heic' };

/** Makes a fake JPEG of a fake image that has to be converted. */
export const fakeConverter = (): ImageConverter => ({
  async convert(source) {
    const facts = fakeFactsOfHeic(await source.read(0, FAKE_HEAD_LENGTH));
    return facts && madeFile(fakeFile(facts, 50));
  },
});

/** Makes covers of fake videos: fake JPEGs with the width and height of the video. */
export function fakeCoverMaker(): CoverMaker {
  return {
    async make(source) {
      const facts = fakeFactsOf(await source.read(0, FAKE_HEAD_LENGTH));
      if (!isSound(facts) || kindOf(facts.type) !== 'video') return null;
      const { width, height } = facts;
      return { bytes: fakeFile({ type: 'image/jpeg', width, height, time: null }), width, height };
    },
  };
}

/** Takes frames of fake files. The frames of different seconds differ. */
export function fakeFrameTaker(): FrameTaker {
  return {
    async take(source, second) {
      const facts = fakeFactsOf(await source.read(0, FAKE_HEAD_LENGTH));
      if (!isSound(facts) || kindOf(facts.type) !== 'video') return null;
      const { width, height } = facts;
      return { bytes: fakeFile({ type: 'image/jpeg', width, height, time: null }, 1 + second), width, height };
    },
  };
}

/** Makes a fake WebP of each size from a fake file, and nothing from any other bytes. */
export function fakePreviewMaker(): PreviewMaker {
  const maker: PreviewMaker = {
    async make({ bytes }, sizes) {
      const facts = fakeFactsOf(await bytes.read(0, FAKE_HEAD_LENGTH));
      if (!isSound(facts)) return null;
      const files = sizes.map((size) => fakeFile({ type: 'image/webp', ...size, time: null }));
      return { files, placeholder: 'data:image/png;base64,AAAA' };
    },
    async makeAhead(orders, signal, isQuiet) {
      const made: Awaited<ReturnType<PreviewMaker['makeAhead']>>[number][] = [];
      for (const { source, sizes } of orders) {
        const isNext = made.length === 0 || isQuiet();
        made.push(isNext ? await maker.make(source, sizes, signal) : 'undecided');
      }
      return made;
    },
  };
  return maker;
}

/** Makes fake files of the requested size. A video is as long as the originals in the tests. */
export function fakeFitter(): MediaFitter {
  return {
    isAvailable: async () => true,
    make: async (_, { attempt: { type, width, height } }) =>
      madeFile(fakeFile({ type, width, height, time: type === 'video/mp4' ? 75 : null }, 100)),
  };
}

/** Returns a file with these bytes, as if it had just been made. */
export const madeFile = (bytes: Uint8Array): MadeFile => ({
  size: bytes.length,
  async *body() {
    yield bytes;
  },
  [Symbol.asyncDispose]: async () => undefined,
});

/** The text that the fake treats as coordinates, anywhere in a file. */
export const FAKE_PLACE = '+48.8577+002.2950/';

/** Finds {@link FAKE_PLACE} in files of any type, and overwrites it with spaces. It knows no other coordinates. */
export const fakeLocationFinder = (): LocationFinder => ({
  find: async (_, source) => placesIn(await wholeOf(source)),
});

const wholeOf = async (source: ByteSource): Promise<string> =>
  Buffer.from(await source.read(0, source.size)).toString('latin1');

function placesIn(text: string): readonly Patch[] {
  const places = [...text.matchAll(new RegExp(RegExp.escape(FAKE_PLACE), 'g'))];
  return places.map(({ index }) => ({ offset: index, length: FAKE_PLACE.length, fill: 0x20 }));
}
