import type { ByteSource, LocationFinder, Patch } from '@postshelf/domain';

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
