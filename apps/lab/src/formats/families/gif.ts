import { placeGif } from '@postshelf/testing/fixtures';
import { type Expected, family } from '../family.ts';
import { GIF_TRAILER, type GifCoding, type GifFrame, gifFrame, gifScreen, subBlocks } from '../parts/gif.ts';
import { OTHERS, QUARTERS, type Size } from '../parts/quarters.ts';
import { SIZE_NAMES, SIZES } from './sizes.ts';

const FRAMES = [
  'whole',
  'smaller, in the corner',
  'smaller, in the middle',
  'one pixel in the corner',
  'over the edge',
  'larger than the screen',
  'outside of the screen',
] as const;
const SCREENS = ['as the frame', '0×0', '0 wide', 'huge'] as const;
const CODINGS = ['LZW', 'plain', 'full dictionary', 'no first clear code', 'no end code'] as const;
const ENDINGS = [
  'trailer',
  'no trailer',
  'trailing bytes',
  'half a frame',
  'half of the last frame',
  'header alone',
] as const;
const BLOCKS = ['none', 'comment', 'NETSCAPE', 'XMP', 'plain text', 'unknown application', 'empty extension'] as const;

export const gif = family({
  name: 'gif',
  share: 300,
  axes: {
    version: ['89a', '87a', '87a with a graphic control'],
    size: SIZE_NAMES,
    frame: FRAMES,
    screen: SCREENS,
    palette: ['global', 'local', 'both', 'none'],
    interlaced: ['no', 'yes'],
    transparency: ['none', 'one quarter'],
    frames: ['1', '3', '3, each disposed of', '2, the second smaller'],
    background: ['0', '3', 'out of the table'],
    codes: [...CODINGS, 'LZW from 8 bits'],
    pixels: ['quarters', 'with noise'],
    blocks: BLOCKS,
    ending: ENDINGS,
  },
  async make(traits) {
    const size = SIZES[traits.size];
    const first = frameOf(traits, size);
    if (first === null) return null;
    // A preview of a few pixels, each of a different colour, can't be compared.
    if (traits.pixels === 'with noise' && Math.min(size.width, size.height) < 32) return null;
    if (traits.ending === 'half of the last frame' && traits.frames === '1') return null;
    const screen = screenOf(traits.screen, size);
    const version = traits.version === '89a' ? '89a' : '87a';
    const header = gifScreen({
      version,
      ...screen,
      ...(['global', 'both'].includes(traits.palette) && { palette: traits.palette === 'both' ? OTHERS : QUARTERS }),
      background: traits.background === 'out of the table' ? 200 : Number(traits.background),
    });
    const frames = framesOf(first, traits.frames).map(gifFrame);
    const bytes = end(header, blocksOf(traits.blocks), frames, traits.ending);
    const whole = traits.blocks === 'XMP' && traits.ending === 'trailer' ? placeGif(bytes) : bytes;
    return { bytes: whole, extension: 'gif', ...expectedOf(traits) };
  },
});

function expectedOf({
  ending,
  palette,
  screen,
}: {
  readonly ending: (typeof ENDINGS)[number];
  readonly palette: string;
  readonly screen: (typeof SCREENS)[number];
}): { readonly expected?: Expected } {
  // Chromium treats a file that ends after its header as an image without a frame, and shows nothing.
  if (ending === 'header alone') return { expected: 'refused' };
  if (ending === 'half a frame' || ending === 'half of the last frame') return { expected: 'damaged' };
  // Without colours in the file, each program chooses its own.
  return palette === 'none' || screen === '0 wide' ? {} : { expected: 'taken' };
}

interface FrameTraits {
  readonly version: string;
  readonly frame: (typeof FRAMES)[number];
  readonly palette: string;
  readonly interlaced: string;
  readonly transparency: string;
  readonly codes: GifCoding | 'LZW from 8 bits';
  readonly pixels: string;
}

/** Returns the frame; null if the traits exclude each other, or if the image is too small for a partial frame. */
function frameOf(traits: FrameTraits, size: Size): GifFrame | null {
  const place = placeOf(traits.frame, size);
  if (place === null) return null;
  const isOld = traits.version === '87a';
  if (isOld && traits.transparency !== 'none') return null;
  return {
    ...place,
    ...(['local', 'both'].includes(traits.palette) && { palette: QUARTERS }),
    isInterlaced: traits.interlaced === 'yes',
    ...(traits.transparency !== 'none' && { transparent: 2 as const }),
    ...(traits.version === '87a with a graphic control' && { delay: 0 }),
    ...(traits.codes === 'LZW from 8 bits' ? { codeSize: 8 } : { coding: traits.codes }),
    hasNoise: traits.pixels === 'with noise',
  };
}

function placeOf(
  frame: (typeof FRAMES)[number],
  { width, height }: Size,
): (Size & { readonly left: number; readonly top: number }) | null {
  const [left, top] = [Math.floor(width / 2), Math.floor(height / 2)];
  if (frame !== 'whole' && (width < 8 || height < 8)) return null;
  switch (frame) {
    case 'whole':
      return { left: 0, top: 0, width, height };
    case 'smaller, in the corner':
      return { left: 0, top: 0, width: left, height: top };
    case 'smaller, in the middle':
      return { left: left >> 1, top: top >> 1, width: left, height: top };
    case 'one pixel in the corner':
      return { left: width - 1, top: height - 1, width: 1, height: 1 };
    case 'over the edge':
      return { left, top, width, height };
    case 'larger than the screen':
      return { left: 0, top: 0, width: width * 2, height: height * 2 };
    case 'outside of the screen':
      return { left: width + 4, top: height + 4, width, height };
  }
}

function screenOf(screen: (typeof SCREENS)[number], { width, height }: Size): Size {
  if (screen === '0×0') return { width: 0, height: 0 };
  if (screen === '0 wide') return { width: 0, height };
  return screen === 'huge' ? { width: 400, height: 300 } : { width, height };
}

function framesOf(first: GifFrame, frames: string): readonly GifFrame[] {
  if (frames === '1') return [first];
  const timed = { ...first, delay: 10 };
  if (frames === '2, the second smaller') {
    const [width, height] = [Math.ceil(first.width / 2), Math.ceil(first.height / 2)];
    return [timed, { ...timed, width, height, palette: OTHERS, disposal: 1 }];
  }
  const disposal = frames === '3' ? 0 : 2;
  return [timed, timed, timed].map((frame, index) => ({
    ...frame,
    disposal,
    ...(index > 0 && { palette: OTHERS }),
  }));
}

function blocksOf(blocks: (typeof BLOCKS)[number]): Uint8Array {
  const extension = (label: number, ...contents: readonly Uint8Array[]) =>
    Buffer.concat([Buffer.from([0x21, label]), ...contents]);
  const named = (name: string) => Buffer.concat([Buffer.from([11]), Buffer.from(name, 'latin1')]);
  switch (blocks) {
    case 'comment':
      return extension(0xfe, subBlocks(Buffer.from('a comment; with \x3b and \x2c in it', 'latin1')));
    case 'NETSCAPE':
      return extension(0xff, named('NETSCAPE2.0'), subBlocks(Buffer.from([1, 0, 0])));
    case 'plain text':
      return extension(0x01, Buffer.concat([Buffer.from([12]), Buffer.alloc(12), subBlocks(Buffer.from('text'))]));
    case 'unknown application':
      return extension(0xff, named('POSTSHELF01'), subBlocks(Buffer.alloc(600, 9)));
    case 'empty extension':
      return extension(0xfe, subBlocks(new Uint8Array()));
    default:
      return new Uint8Array();
  }
}

function end(
  header: Uint8Array,
  blocks: Uint8Array,
  frames: readonly Uint8Array[],
  ending: (typeof ENDINGS)[number],
): Uint8Array {
  const [first = new Uint8Array()] = frames;
  const whole = Buffer.concat([header, blocks, ...frames]);
  switch (ending) {
    case 'trailer':
      return Buffer.concat([whole, GIF_TRAILER]);
    case 'no trailer':
      return whole;
    case 'trailing bytes':
      return Buffer.concat([whole, GIF_TRAILER, Buffer.alloc(3000, 0x5a)]);
    case 'half a frame':
      return Buffer.concat([header, blocks, first.subarray(0, Math.ceil(first.length / 2))]);
    case 'half of the last frame':
      return whole.subarray(0, whole.length - Math.ceil((frames.at(-1)?.length ?? 0) / 2));
    case 'header alone':
      return Buffer.concat([header, blocks, GIF_TRAILER]);
  }
}
