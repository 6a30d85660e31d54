import { colourProfile, type HeifFile, type HeifItem, readHeif } from '@postshelf/testing/fixtures';
import { type Family, family, type Made } from '../family.ts';
import { encodeAvif, hasHeifPrograms } from '../parts/heif-encoders.ts';
import { greyProfile, rgbProfile } from '../parts/icc.ts';
import { sceneOf } from '../parts/scene.ts';
import {
  cellsOf,
  contained,
  ENDINGS,
  GRIDS,
  type GridName,
  gridFile,
  HEIF_AXES,
  identityFile,
  isGrid,
  isTooMuch,
  LAYOUTS,
  PLAIN_SIZE_NAMES,
  PLAIN_SIZES,
  sceneKindOf,
  withoutColours,
  withProperties,
} from './heif-traits.ts';

interface Colours {
  readonly options: readonly string[];
  readonly profile?: () => Uint8Array;
  /** Whether to omit the colour numbers that the encoder writes. */
  readonly isAlone?: boolean;
}

const COLOURS = {
  "the encoder's": { options: [] },
  'limited range': { options: ['-r', 'limited'] },
  'matrix of BT.709': { options: ['--cicp', '1/13/1'] },
  'matrix of BT.709, limited range': { options: ['--cicp', '1/13/1', '-r', 'limited'] },
  'BT.2020 by numbers': { options: ['--cicp', '9/14/9'] },
  'no matrix': { options: ['--cicp', '1/13/0'] },
  YCgCo: { options: ['--cicp', '1/13/8'] },
  'P3 by numbers': { options: ['--cicp', '12/13/6'] },
  'P3 with the curve of BT.709': { options: ['--cicp', '12/1/6'] },
  'linear light': { options: ['--cicp', '1/8/6'] },
  'curve of BT.709': { options: ['--cicp', '1/1/1'] },
  PQ: { options: ['--cicp', '9/16/9'] },
  HLG: { options: ['--cicp', '9/18/9'] },
  'P3 profile': { options: [], profile: () => rgbProfile('Display P3'), isAlone: true },
  'P3 profile and numbers': { options: ['--cicp', '1/13/6'], profile: () => rgbProfile('Display P3') },
  'Adobe RGB profile': { options: [], profile: () => rgbProfile('Adobe RGB'), isAlone: true },
  'swapped profile': { options: [], profile: () => rgbProfile('swapped'), isAlone: true },
  'grey profile': { options: [], profile: greyProfile, isAlone: true },
  none: { options: [], isAlone: true },
} as const satisfies Record<string, Colours>;
type ColourName = keyof typeof COLOURS;
const COLOUR_NAMES = Object.keys(COLOURS) as [ColourName, ...ColourName[]];

const STRUCTURES = [
  'one image',
  ...(Object.keys(GRIDS) as GridName[]),
  'identity',
  'sequence',
  'sequence alone',
] as const;

const CODINGS = {
  plain: [],
  'film grain': ['-a', 'film-grain-test=1'],
  tiles: ['--tilerowslog2', '1', '--tilecolslog2', '2'],
  lossless: ['--min', '0', '--max', '0'],
  'narrow pixels': ['--pasp', '2,1'],
} as const;
type Coding = keyof typeof CODINGS;
const CODING_NAMES = Object.keys(CODINGS) as [Coding, ...Coding[]];

/** AVIF files as libavif writes them, and AVIF files with other layouts. */
export const avif: Family = family({
  name: 'avif',
  share: 340,
  axes: {
    size: PLAIN_SIZE_NAMES,
    structure: STRUCTURES,
    coding: CODING_NAMES,
    chroma: ['420', '422', '444', '400'],
    bits: ['8', '10', '12'],
    colours: COLOUR_NAMES,
    ...HEIF_AXES,
    brand: ['avif', 'mif1'],
    layout: LAYOUTS,
    ending: ENDINGS,
  },
  async make(traits): Promise<Made | null> {
    if (!hasHeifPrograms() || isTooMuch(traits, avif.axes)) return null;
    const { structure, chroma, bits, alpha, colours: name } = traits;
    const size = isGrid(structure) ? GRIDS[structure].whole : PLAIN_SIZES[traits.size];
    if (structure !== 'one image' && (traits.size !== '160×112' || alpha !== 'none')) return null;
    if ((name === 'no matrix' && chroma !== '444') || (name === 'grey profile' && chroma !== '400')) return null;
    // Starts with colours that aren't multiplied by alpha: with the option `-p`, libavif multiplies them itself.
    const kind = sceneKindOf(alpha === 'multiplied' ? 'straight' : alpha);
    const depth = bits === '8' ? 8 : 16;
    const options = [
      ...['-y', chroma, '-d', bits, ...COLOURS[name].options, ...CODINGS[traits.coding]],
      ...(alpha === 'multiplied' ? ['-p'] : []),
    ];
    if (structure === 'sequence' || structure === 'sequence alone')
      return sequence({ ...traits, alone: structure === 'sequence alone' ? 'yes' : 'no' }, options);
    const encode = async (image: Uint8Array): Promise<HeifFile> => readHeif(await encodeAvif([image], options));
    const encoded = isGrid(structure)
      ? joined(await Promise.all((await cellsOf(GRIDS[structure], depth, kind)).map(encode)))
      : await encode(await sceneOf(size, depth, kind));
    const placed = isGrid(structure)
      ? gridFile(encoded, GRIDS[structure])
      : structure === 'identity'
        ? identityFile(encoded, size)
        : encoded;
    const colours: Colours = COLOURS[name];
    const own = colours.profile?.();
    const plain = colours.isAlone ? withoutColours(placed) : placed;
    const coloured = own ? withProperties(plain, colourProfile(own)) : plain;
    const branded =
      traits.brand === 'avif' ? coloured : { ...coloured, brand: 'mif1', compatible: ['mif1', 'avif', 'miaf'] };
    const made = contained({ file: branded, size, other: await other(), extension: 'avif' }, traits);
    // libavif and browsers don't accept an image derived by identity, nor a grid that ends within a subsampled colour
    // sample (MIAF).
    const isOdd = structure === 'grid of odd sides' && chroma !== '444' && chroma !== '400';
    return made && (structure === 'identity' || isOdd) ? { ...made, expected: 'refused' } : made;
  },
});

/** Combines the images of several files into one file, and gives the images new item ids. */
function joined(files: readonly HeifFile[]): HeifFile {
  const [first] = files;
  if (first === undefined) throw new Error('There are no cells.');
  return {
    ...first,
    items: files.flatMap(({ items }, index) =>
      items.filter(({ type }) => type === 'av01').map((item) => ({ ...item, id: index + 1 })),
    ),
  };
}

async function other(): Promise<HeifItem> {
  const [item] = readHeif(await encodeAvif([await sceneOf({ width: 64, height: 48 }, 8)], ['-y', '420'])).items;
  if (item === undefined) throw new Error('avifenc wrote no image.');
  return item;
}

const OF_SEQUENCES = new Set(['structure', 'chroma', 'bits', 'ending', 'coding']);

/**
 * Makes a sequence as avifenc writes it: a video, and its first frame as a still image. Some other encoders omit the
 * still image, as does this function if `alone` is `yes`.
 */
async function sequence(
  { alone, ...traits }: { readonly [axis: string]: string },
  options: readonly string[],
): Promise<Made | null> {
  const isPlain = Object.entries(traits).every(
    ([axis, trait]) => OF_SEQUENCES.has(axis) || avif.axes[axis]?.[0] === trait,
  );
  if (!isPlain || !['whole', 'half'].includes(traits.ending ?? '')) return null;
  const images = await Promise.all(
    (['colours', 'grey'] as const).map((kind) => sceneOf(PLAIN_SIZES['160×112'], 8, kind)),
  );
  const bytes = Buffer.from(await encodeAvif(images, [...options, '--cicp', '1/13/6']));
  if (alone === 'yes') withoutImage(bytes);
  const isCut = traits.ending === 'half';
  return {
    bytes: isCut ? bytes.subarray(0, bytes.length >> 1) : bytes,
    extension: 'avif',
    expected: isCut ? 'refused' : 'taken',
  };
}

/** Leaves only the video in the file: removes the brands that promise an image, and the image's metadata. */
function withoutImage(file: Buffer): void {
  file.write('skip', file.indexOf('meta', 0, 'latin1'), 'latin1');
  for (let at = 16; at < file.readUInt32BE(0); at += 4)
    if (file.toString('latin1', at, at + 4) !== 'msf1') file.write('avis', at, 'latin1');
}
