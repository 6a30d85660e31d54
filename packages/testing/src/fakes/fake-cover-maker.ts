import { type CoverMaker, kindOf } from '@postshelf/domain';
import { FAKE_HEAD_LENGTH, fakeFactsOf, fakeFile } from './fake-files.ts';

/** Makes a fake JPEG of a fake video, as large as the video. */
export function fakeCoverMaker(): CoverMaker {
  return {
    async make(source) {
      const facts = fakeFactsOf(await source.read(0, FAKE_HEAD_LENGTH));
      if (facts === null || facts === 'damaged' || kindOf(facts.type) !== 'video') return null;
      const { width, height } = facts;
      return { bytes: fakeFile({ type: 'image/jpeg', width, height, time: null }), width, height };
    },
  };
}
