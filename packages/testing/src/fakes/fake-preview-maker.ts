import type { PreviewMaker } from '@postshelf/domain';
import { FAKE_HEAD_LENGTH, fakeFactsOf, fakeFile } from './fake-files.ts';

/** Makes a fake WebP of each size of a fake file; of any other bytes none. */
export function fakePreviewMaker(): PreviewMaker {
  const maker: PreviewMaker = {
    async make({ bytes }, sizes) {
      const facts = fakeFactsOf(await bytes.read(0, FAKE_HEAD_LENGTH));
      if (facts === null || facts === 'damaged') return null;
      const files = sizes.map((size) => fakeFile({ type: 'image/webp', ...size, time: null }));
      return { files, placeholder: 'data:image/png;base64,AAAA' };
    },
    makeAhead: (orders, signal) => Promise.all(orders.map(({ source, sizes }) => maker.make(source, sizes, signal))),
  };
  return maker;
}
