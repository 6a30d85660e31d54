import type { FittedFile, MediaFitter } from '@postshelf/domain';
import { fakeFile } from './fake-files.ts';

/** Makes fake files of the size that is requested. A film is as long as the originals of the tests. */
export function fakeFitter(): MediaFitter {
  return {
    isAvailable: async () => true,
    make: async (_, { attempt: { type, width, height } }) =>
      fittedFile(fakeFile({ type, width, height, time: type === 'video/mp4' ? 75 : null }, 100)),
  };
}

/** A file that was made, of these bytes. */
export const fittedFile = (bytes: Uint8Array): FittedFile => ({
  size: bytes.length,
  async *body() {
    yield bytes;
  },
  [Symbol.asyncDispose]: async () => undefined,
});
