import type { MediaInspector } from '@postshelf/domain';
import { FAKE_HEAD_LENGTH, fakeFactsOf, fakeTypeOf } from './fake-files.ts';

/** Inspects files made by `fakeFile`. */
export function fakeInspector(): MediaInspector {
  return {
    headLength: FAKE_HEAD_LENGTH,
    recognise: async (head) => fakeTypeOf(head),
    inspect: async (source) => fakeFactsOf(await source.read(0, FAKE_HEAD_LENGTH)),
  };
}
