import { colourNumbers, colourProfile, type HeifFile, type HeifItem, imageSize } from '@postshelf/testing/fixtures';
import { type Family, family, type Made } from '../family.ts';
import { encodeHeic, encodeHevcVideo, framesOf, hasHeifPrograms } from '../parts/heif-encoders.ts';
import { greyProfile, rgbProfile } from '../parts/icc.ts';
import type { Size } from '../parts/quarters.ts';
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
  isOf,
  isTooMuch,
  LAYOUTS,
  PLAIN_SIZE_NAMES,
  PLAIN_SIZES,
  sceneKindOf,
  withProperties,
} from './heif-traits.ts';

const [BT601, BT709, BT2020] = [
  ['bt601', 'smpte170m', 6],
  ['bt709', 'bt709', 1],
  ['bt2020', 'bt2020nc', 9],
] as const;

interface Colours {
  /** A matrix that heif-enc can't write: its names in ffmpeg's filter and in libx265's stream, and its number. */
  readonly matrix?: readonly [filter: string, stream: string, number: number];
  /** Default false. */
  readonly isLimited?: boolean;
  /** The numbers of the primaries and the transfer; those of sRGB by default. */
  readonly numbers?: readonly [primaries: number, transfer: number];
  readonly profile?: () => Uint8Array;
  /** Whether the numbers are only in the HEVC stream, and not in a property of the image. */
  readonly isSilent?: boolean;
}

const COLOURS = {
  "the encoder's": {},
  'full range': { matrix: BT601 },
  'limited range': { matrix: BT601, isLimited: true },
  'matrix of BT.709': { matrix: BT709 },
  'matrix of BT.709, limited range': { matrix: BT709, isLimited: true },
  'matrix of BT.709, said by the stream': { matrix: BT709, isLimited: true, isSilent: true },
  'no matrix': { matrix: ['', 'gbr', 0] },
  'P3 by numbers': { matrix: BT601, numbers: [12, 13] },
  'BT.2020 by numbers': { matrix: BT2020, numbers: [9, 14], isLimited: true },
  PQ: { matrix: BT2020, numbers: [9, 16], isLimited: true },
  HLG: { matrix: BT2020, numbers: [9, 18] },
  'P3 profile': { profile: () => rgbProfile('Display P3') },
  'P3 profile and numbers': { matrix: BT601, profile: () => rgbProfile('Display P3') },
  'Adobe RGB profile': { profile: () => rgbProfile('Adobe RGB') },
  'swapped profile': { profile: () => rgbProfile('swapped') },
  'grey profile': { profile: greyProfile },
} as const satisfies Record<string, Colours>;
type ColourName = keyof typeof COLOURS;
const COLOUR_NAMES = Object.keys(COLOURS) as [ColourName, ...ColourName[]];

const STRUCTURES = ['one image', ...(Object.keys(GRIDS) as GridName[]), 'identity', 'sequence'] as const;
const BRANDS = ['heic', 'mif1', 'heix', 'mif1 alone'] as const;

/** HEIC files as phones and libheif write them. */
export const heic: Family = family({
  name: 'heic',
  share: 330,
  axes: {
    size: PLAIN_SIZE_NAMES,
    structure: STRUCTURES,
    chroma: ['420', '422', '444', 'grey'],
    bits: ['8', '10', '12'],
    colours: COLOUR_NAMES,
    ...HEIF_AXES,
    brand: BRANDS,
    layout: LAYOUTS,
    ending: ENDINGS,
  },
  async make(traits): Promise<Made | null> {
    if (!hasHeifPrograms() || isTooMuch(traits, heic.axes)) return null;
    const { structure, chroma, bits, alpha, colours: name } = traits;
    const size = isGrid(structure) ? GRIDS[structure].whole : PLAIN_SIZES[traits.size];
    const isGrey = chroma === 'grey';
    if (structure !== 'one image' && (traits.size !== '160×112' || alpha !== 'none')) return null;
    if (isGrey && (alpha !== 'none' || name === 'no matrix')) return null;
    if (name === 'no matrix' && chroma !== '444') return null;
    if (name === 'grey profile' && !isGrey) return null;
    if (structure === 'sequence') return sequence(traits);
    const colours: Colours = COLOURS[name];
    if (colours.matrix && (alpha !== 'none' || isOdd(size, chroma))) return null;
    const depth = bits === '8' ? 8 : 16;
    const kind = isGrey ? 'grey' : sceneKindOf(alpha);
    const images = isGrid(structure)
      ? await cellsOf(GRIDS[structure], depth, kind)
      : [await sceneOf(size, depth, kind)];
    const encoded = colours.matrix
      ? await byFfmpeg(images, isGrid(structure) ? GRIDS[structure] : size, { ...colours, chroma, bits })
      : await encodeHeic(images, [
          ...(isGrey ? [] : ['-p', `chroma=${chroma}`]),
          ...(bits === '8' ? [] : ['-b', bits]),
          ...(alpha === 'multiplied' ? ['--premultiplied-alpha'] : []),
        ]);
    const placed = isGrid(structure)
      ? gridFile(encoded, GRIDS[structure])
      : structure === 'identity'
        ? identityFile(encoded, size)
        : encoded;
    const profile = colours.profile?.();
    const coloured = profile ? withProperties(placed, colourProfile(profile)) : placed;
    return contained(
      { file: branded(coloured, traits.brand), size: sizeOf(coloured), other: await other(), extension: 'heic' },
      traits,
    );
  },
});

/** Whether ffmpeg would crop an image of this size. */
const isOdd = ({ width, height }: Size, chroma: string): boolean =>
  Math.min(width, height) < 16 || (chroma !== '444' && chroma !== 'grey' && (width % 2 === 1 || height % 2 === 1));

async function byFfmpeg(
  images: readonly Uint8Array[],
  { width, height }: Size,
  { matrix = BT601, isLimited, numbers = [1, 13], isSilent, chroma, bits }: Colours & { chroma: string; bits: string },
): Promise<HeifFile> {
  const [filter, stream, number] = matrix;
  const base = chroma === 'grey' ? 'gray' : number === 0 ? 'gbrp' : `yuv${chroma}p`;
  const video = await encodeHevcVideo(images, {
    matrix: [filter, stream],
    isFull: isLimited !== true,
    pixels: bits === '8' ? base : `${base}${bits}le`,
  });
  const file = framesOf(video, { width, height });
  const said = isSilent ? [] : [colourNumbers(...numbers, number, isLimited !== true)];
  return { ...file, items: file.items.map((item) => ({ ...item, properties: [...(item.properties ?? []), ...said] })) };
}

/**
 * Returns the size that the file declares. It may differ from that of the source, because the encoder crops some images
 * to even sides.
 */
function sizeOf({ items, primary }: HeifFile): { width: number; height: number } {
  const box = items.find(({ id }) => id === primary)?.properties?.find((property) => isOf(property, 'ispe'));
  const bytes = Buffer.from(box ?? imageSize(0, 0));
  return { width: bytes.readUInt32BE(12), height: bytes.readUInt32BE(16) };
}

async function other(): Promise<HeifItem> {
  const [item] = (await encodeHeic([await sceneOf({ width: 64, height: 48 }, 8)], [])).items;
  if (item === undefined) throw new Error('heif-enc wrote no image.');
  return item;
}

function branded(file: HeifFile, brand: (typeof BRANDS)[number]): HeifFile {
  if (brand === 'mif1 alone') return { ...file, brand: 'mif1', compatible: ['mif1'] };
  return { ...file, brand, compatible: ['mif1', 'MiHE', 'heic', ...(brand === 'heix' ? ['heix'] : [])] };
}

/** Makes an image sequence. Apart from its name it is a video, so the traits of images don't apply to it. */
async function sequence(traits: { readonly [axis: string]: string }): Promise<Made | null> {
  const ordinary = ['size', 'structure', 'ending'];
  const isPlain = Object.entries(traits).every(
    ([axis, trait]) => ordinary.includes(axis) || (heic.axes[axis]?.[0] ?? trait) === trait,
  );
  if (!isPlain || (traits.ending !== 'whole' && traits.ending !== 'half')) return null;
  const video = Buffer.from(
    await encodeHevcVideo(
      [await sceneOf(PLAIN_SIZES['160×112'], 8), await sceneOf(PLAIN_SIZES['160×112'], 8, 'grey')],
      {
        matrix: [BT709[0], BT709[1]],
        isFull: false,
        pixels: 'yuv420p',
      },
    ),
  );
  for (const [at, name] of ['hevc', 'msf1', 'hevc', 'iso8'].entries())
    video.write(name, at === 0 ? 8 : 12 + 4 * at, 'latin1');
  video.write('pict', video.indexOf('vide'), 'latin1');
  const isCut = traits.ending === 'half';
  return {
    bytes: isCut ? video.subarray(0, video.length >> 1) : video,
    extension: 'heic',
    expected: isCut ? 'refused' : 'taken',
  };
}
