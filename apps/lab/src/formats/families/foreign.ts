import { otherFixture } from '@postshelf/testing/fixtures';
import { family } from '../family.ts';

const text = (content: string) => async (): Promise<Uint8Array> => Buffer.from(content);
const box = (type: string, content: string): string => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + content.length);
  return length.toString('latin1') + type + content;
};
const fileType = (brand: string) => async (): Promise<Uint8Array> =>
  Buffer.from(box('ftyp', `${brand}\0\0\0\0mif1`) + box('meta', '\0'.repeat(40)), 'latin1');

/** Files of other types, each with the extension of its type. They must be refused, but never as damaged. */
const KINDS = {
  TIFF: ['tiff', async () => (await otherFixture('tiff')).bytes()],
  BMP: ['bmp', async () => (await otherFixture('bmp')).bytes()],
  WebM: ['webm', async () => (await otherFixture('webm')).bytes()],
  WAV: ['wav', async () => (await otherFixture('wav')).bytes()],
  M4A: ['m4a', async () => (await otherFixture('m4a')).bytes()],
  'MP4 of sound alone': ['mp4', async () => (await otherFixture('mp4-sound-only')).bytes()],
  'JPEG 2000': ['jp2', fileType('jp2 ')],
  'raw photo': ['cr3', fileType('crx ')],
  text: ['txt', text('Hello, this is a text of some length, and no image.\n')],
  HTML: ['html', text('<!doctype html><title>404</title><p>Not found, says a server.</p>')],
  SVG: [
    'svg',
    text('<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="9" height="9"/></svg>'),
  ],
  PDF: ['pdf', text('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n')],
  ZIP: ['zip', async () => Buffer.from('504b0506000000000000000000000000000000000000', 'hex')],
  zeros: ['bin', async () => new Uint8Array(5000)],
} as const satisfies Record<string, readonly [extension: string, make: () => Promise<Uint8Array>]>;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as [Kind, ...Kind[]];

export const foreign = family({
  name: 'foreign',
  share: KIND_NAMES.length,
  axes: { kind: KIND_NAMES },
  async make({ kind }) {
    const [extension, make] = KINDS[kind];
    return { bytes: await make(), extension, expected: 'type' };
  },
});
