import type { MediaFacts } from '@postshelf/domain';
import { describeCoverMaker } from '../src/contracts/covers/cover-maker.ts';
import { describeMediaInspector } from '../src/contracts/media/media-inspector.ts';
import { fakeCoverMaker } from '../src/fakes/fake-cover-maker.ts';
import { fakeFile } from '../src/fakes/fake-files.ts';
import { fakeInspector } from '../src/fakes/fake-inspector.ts';
import { sourceOf } from '../src/fixtures/byte-sources.ts';

const image = (type: MediaFacts['type']): MediaFacts => ({ type, width: 40, height: 30, time: null });
const video = (type: MediaFacts['type']): MediaFacts => ({ type, width: 320, height: 240, time: 7 });

const FACTS = [
  image('image/jpeg'),
  image('image/png'),
  image('image/gif'),
  image('image/webp'),
  video('video/mp4'),
  video('video/quicktime'),
];
const TEXT = { name: 'text', bytes: new TextEncoder().encode('Nothing but words, and more of them than a head.') };

describeMediaInspector('fake', fakeInspector, {
  readable: FACTS.map((facts) => ({ name: facts.type, facts, bytes: fakeFile(facts, 100) })),
  broken: FACTS.map((facts) => ({
    name: `${facts.type} without facts`,
    type: facts.type,
    bytes: Buffer.concat([fakeFile(facts).subarray(0, 12), new Uint8Array(100)]),
  })),
  other: [TEXT],
});

describeCoverMaker('fake', fakeCoverMaker, {
  videos: [video('video/mp4'), video('video/quicktime')].map((facts) => ({
    name: facts.type,
    width: facts.width,
    height: facts.height,
    open: async () => sourceOf(fakeFile(facts)),
  })),
  others: [
    { name: 'an image', open: async () => sourceOf(fakeFile(image('image/png'))) },
    { name: 'text', open: async () => sourceOf(TEXT.bytes) },
  ],
});
