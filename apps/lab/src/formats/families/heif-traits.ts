import {
  cleanAperture,
  exifItem,
  gridOf,
  type HeifFile,
  type HeifItem,
  type HeifLayout,
  heifBox,
  imageSize,
  mirror,
  PLACE_XMP,
  placeExif,
  rotation,
  writeHeif,
} from '@postshelf/testing/fixtures';
import sharp from 'sharp';
import type { Family, Made, Traits } from '../family.ts';
import type { Size } from '../parts/quarters.ts';
import { type SceneKind, sceneOf } from '../parts/scene.ts';

/** Sizes of images that aren't grids. Cameras write grids of tiles instead. */
export const PLAIN_SIZES = {
  '160×112': { width: 160, height: 112 },
  '112×160': { width: 112, height: 160 },
  '1×1': { width: 1, height: 1 },
  '2×2': { width: 2, height: 2 },
  '17×13': { width: 17, height: 13 },
  '8×120': { width: 8, height: 120 },
  '333×251': { width: 333, height: 251 },
  '1025×97': { width: 1025, height: 97 },
  '1920×1080': { width: 1920, height: 1080 },
} as const satisfies Record<string, Size>;
export type PlainSize = keyof typeof PLAIN_SIZES;
export const PLAIN_SIZE_NAMES = Object.keys(PLAIN_SIZES) as [PlainSize, ...PlainSize[]];

const TURNS = ['none', '1', '2', '3'] as const;
const MIRRORS = ['none', 'top and bottom', 'left and right'] as const;
/** Orders of transforms. Some writers put the mirror before the rotation, which results in another image. */
const ORDERS = ['turn, mirror', 'mirror, turn'] as const;
const CROPS = ['none', 'inside', 'odd corner', 'between pixels', 'whole'] as const;
const METADATA = [
  'none',
  'EXIF turned by 6',
  'EXIF and XMP',
  'EXIF after a name',
  'EXIF of nothing said',
  'XMP',
] as const;
const BESIDE = [
  'nothing',
  'thumbnail',
  'depth',
  'gain map',
  'another image before it',
  'two images after it',
  'unknown items',
] as const;
export const LAYOUTS = ['usual', 'data first', 'two parts', 'data inside', 'long numbers'] as const;
export const ENDINGS = [
  'whole',
  'trailing motion photo',
  'trailing bytes',
  'trailing free space',
  'half',
  'last byte',
] as const;
const ALPHAS = ['none', 'straight', 'multiplied', 'opaque'] as const;

export type Alpha = (typeof ALPHAS)[number];

/** The axes that HEIC and AVIF share, in the order in which they are varied. */
export const HEIF_AXES = {
  alpha: ALPHAS,
  turn: TURNS,
  mirrored: MIRRORS,
  order: ORDERS,
  crop: CROPS,
  metadata: METADATA,
  beside: BESIDE,
} as const;

export const sceneKindOf = (alpha: Alpha): SceneKind =>
  alpha === 'none'
    ? 'colours'
    : alpha === 'straight'
      ? 'alpha'
      : alpha === 'multiplied'
        ? 'multiplied alpha'
        : 'opaque alpha';

export interface Container {
  readonly turn: (typeof TURNS)[number];
  readonly mirrored: (typeof MIRRORS)[number];
  readonly order: (typeof ORDERS)[number];
  readonly crop: (typeof CROPS)[number];
  readonly metadata: (typeof METADATA)[number];
  readonly beside: (typeof BESIDE)[number];
  readonly layout: HeifLayout;
  readonly ending: (typeof ENDINGS)[number];
}

interface Shot {
  readonly file: HeifFile;
  /** The size of the primary image, before any transform. */
  readonly size: Size;
  /** A second, small image with the same codec. */
  readonly other: HeifItem;
  readonly extension: string;
}

/** Makes a file with transforms of its primary image, and with other items; null for traits that exclude each other. */
export function contained({ file, size, other, extension }: Shot, traits: Container): Made | null {
  if (traits.order !== 'turn, mirror' && (traits.turn === 'none' || traits.mirrored === 'none')) return null;
  if (traits.crop !== 'none' && Math.min(size.width, size.height) < 32) return null;
  const own = [...cropsOf(traits.crop, size), ...turnsOf(traits)];
  const changed: HeifFile = {
    ...file,
    items: file.items.map((item) =>
      item.id === file.primary ? { ...item, properties: [...(item.properties ?? []), ...own] } : item,
    ),
  };
  const whole = withMetadata(withBeside(changed, traits.beside, other), traits.metadata);
  const bytes = Buffer.from(writeHeif(whole, trailerOf(traits.ending), traits.layout));
  const isCut = traits.ending === 'half' || traits.ending === 'last byte';
  // If the media data comes first, the file may end with metadata that no program shows. Then no program notices that
  // the last byte is missing.
  if (traits.ending === 'last byte' && traits.layout === 'data first') return null;
  if (!isCut) return { bytes, extension, expected: 'taken' };
  const end = traits.ending === 'half' ? bytes.length >> 1 : bytes.length - 1;
  return { bytes: bytes.subarray(0, end), extension, expected: 'refused' };
}

function cropsOf(crop: Container['crop'], { width, height }: Size): readonly Uint8Array[] {
  if (crop === 'none') return [];
  if (crop === 'whole') return [cleanAperture(width, 1, height, 1, 0, 1, 0, 1)];
  const [across, down] = [width - 16, height - 12];
  // The centre of the crop is 3 pixels to the right of, and 2 pixels above, the centre of the image.
  if (crop === 'inside') return [cleanAperture(across, 1, down, 1, 3, 1, -2, 1)];
  if (crop === 'odd corner') return [cleanAperture(across - 1, 1, down - 1, 1, 1, 2, -3, 2)];
  return [cleanAperture(2 * across + 1, 2, 2 * down + 1, 2, 1, 3, -1, 3)];
}

function turnsOf({ turn, mirrored, order }: Container): readonly Uint8Array[] {
  const turns = turn === 'none' ? [] : [rotation(Number(turn))];
  const mirrors = mirrored === 'none' ? [] : [mirror(mirrored === 'top and bottom' ? 0 : 1)];
  return order === 'turn, mirror' ? [...turns, ...mirrors] : [...mirrors, ...turns];
}

/** Item ids that encoders don't use. */
const [THUMBNAIL, DEPTH, FIRST_OTHER, EXIF, XMP] = [900, 901, 910, 920, 921];

const auxiliary = (kind: string): Uint8Array => heifBox('auxC', Buffer.alloc(4), Buffer.from(`${kind}\0`));

function withBeside(file: HeifFile, beside: Container['beside'], other: HeifItem): HeifFile {
  const primary = file.primary ?? 0;
  const add = (...items: readonly HeifItem[]): HeifFile => ({ ...file, items: [...file.items, ...items] });
  const auxiliaryOf = (kind: string): HeifItem => ({
    ...other,
    id: DEPTH,
    isHidden: true,
    properties: [...(other.properties ?? []), auxiliary(kind)],
    references: { auxl: [primary] },
  });
  const more = (id: number): HeifItem => ({ ...other, id });
  if (beside === 'thumbnail') return add({ ...other, id: THUMBNAIL, references: { thmb: [primary] } });
  if (beside === 'depth') return add(auxiliaryOf('urn:mpeg:hevc:2015:auxid:2'));
  if (beside === 'gain map') return add(auxiliaryOf('urn:com:apple:photo:2020:aux:hdrgainmap'));
  if (beside === 'another image before it') return { ...file, items: [more(FIRST_OTHER), ...file.items] };
  if (beside === 'two images after it') return add(more(FIRST_OTHER), more(FIRST_OTHER + 1));
  if (beside === 'unknown items') {
    const unknown = { data: Buffer.from('of no use'), isHidden: true, references: { cdsc: [primary] } };
    return add({ id: DEPTH, type: 'abcd', ...unknown }, { id: THUMBNAIL, type: 'uri ', ...unknown });
  }
  return file;
}

function withMetadata(file: HeifFile, metadata: Container['metadata']): HeifFile {
  if (metadata === 'none') return file;
  const references = metadata === 'EXIF of nothing said' ? {} : { cdsc: [file.primary ?? 0] };
  const tiff = placeExif(6, metadata !== 'EXIF and XMP');
  const name = Buffer.from('Exif\0\0', 'latin1');
  const data = metadata === 'EXIF after a name' ? Buffer.concat([Buffer.of(0, 0, 0, 6), name, tiff]) : exifItem(tiff);
  const exif: HeifItem = { id: EXIF, type: 'Exif', data, isHidden: true, references };
  const xmp: HeifItem = {
    ...{ id: XMP, type: 'mime', contentType: 'application/rdf+xml' },
    ...{ data: Buffer.from(PLACE_XMP), isHidden: true, references },
  };
  const added = metadata === 'XMP' ? [xmp] : metadata === 'EXIF and XMP' ? [exif, xmp] : [exif];
  return { ...file, items: [...file.items, ...added] };
}

function trailerOf(ending: Container['ending']): Uint8Array {
  if (ending === 'trailing motion photo')
    return heifBox('mpvd', heifBox('ftyp', Buffer.from('mp42\0\0\0\0isom')), Buffer.alloc(500, 7));
  if (ending === 'trailing free space') return heifBox('free', Buffer.alloc(100));
  // Samsung's cameras append a list like this one, which isn't a box.
  if (ending === 'trailing bytes')
    return Buffer.from('\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data1600000000000SEFHk\0\0\0\x01\0\0\0SEFT', 'latin1');
  return new Uint8Array();
}

/** Returns the file without the colour properties of its images. */
export const withoutColours = ({ items, ...file }: HeifFile): HeifFile => ({
  ...file,
  items: items.map((item) => ({
    ...item,
    properties: item.properties?.filter((property) => !isOf(property, 'colr')) ?? [],
  })),
});

export const isOf = (property: Uint8Array, type: string): boolean =>
  Buffer.from(property).toString('latin1', 4, 8) === type;

/** Returns the file with additional properties of its primary image. */
export const withProperties = ({ items, ...file }: HeifFile, ...more: readonly Uint8Array[]): HeifFile => ({
  ...file,
  items: items.map((item) =>
    item.id === file.primary ? { ...item, properties: [...(item.properties ?? []), ...more] } : item,
  ),
});

export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** The width of a cell in pixels. */
  readonly width: number;
  readonly height: number;
  /** The size of the whole image, which may end inside the last cells. */
  readonly whole: Size;
}

export const GRIDS = {
  'grid of 2 × 2': { columns: 2, rows: 2, width: 96, height: 64, whole: { width: 192, height: 128 } },
  'grid whose edges are cut': { columns: 3, rows: 2, width: 128, height: 128, whole: { width: 332, height: 202 } },
  'grid of odd sides': { columns: 2, rows: 2, width: 96, height: 64, whole: { width: 181, height: 101 } },
  'grid of one row': { columns: 4, rows: 1, width: 64, height: 64, whole: { width: 250, height: 64 } },
  '3 megapixels in tiles of 512': {
    columns: 4,
    rows: 3,
    width: 512,
    height: 512,
    whole: { width: 2016, height: 1512 },
  },
  '12 megapixels in tiles of 512': {
    columns: 8,
    rows: 6,
    width: 512,
    height: 512,
    whole: { width: 4032, height: 3024 },
  },
  '48 megapixels in tiles of 512': {
    columns: 16,
    rows: 12,
    width: 512,
    height: 512,
    whole: { width: 8064, height: 6048 },
  },
} as const satisfies Record<string, Cells>;
export type GridName = keyof typeof GRIDS;

/** The only axes that are varied in large grids, because each of these files takes a minute. */
const OF_LARGE: readonly string[] = ['structure', 'turn', 'metadata', 'beside', 'ending'];

/**
 * Whether to skip a file because testing it takes too long. This is the case for a large grid with an unusual trait on
 * an axis other than those in {@link OF_LARGE}.
 */
export const isTooMuch = (traits: Traits, axes: Family['axes']): boolean =>
  /^(12|48) /.test(traits.structure ?? '') &&
  Object.entries(traits).some(([axis, trait]) => !OF_LARGE.includes(axis) && axes[axis]?.[0] !== trait);

export const isGrid = (name: string): name is GridName => Object.hasOwn(GRIDS, name);

/** Returns PNGs of a grid's cells, row by row. */
export async function cellsOf(
  { columns, rows, width, height }: Cells,
  bits: 8 | 16,
  kind: SceneKind,
): Promise<Buffer[]> {
  const all = await sceneOf({ width: columns * width, height: rows * height }, bits, kind);
  const { data, info } = await sharp(all)
    .raw({ depth: bits === 8 ? 'uchar' : 'ushort' })
    .toBuffer({ resolveWithObject: true });
  const bytes = info.channels * (bits / 8);
  const cells: Buffer[] = [];
  for (let index = 0; index < columns * rows; index += 1) {
    const [left, top] = [(index % columns) * width, Math.floor(index / columns) * height];
    const lines = Array.from({ length: height }, (_, line) => {
      const at = ((top + line) * info.width + left) * bytes;
      return data.subarray(at, at + width * bytes);
    });
    const pixels = Buffer.concat(lines);
    const samples = bits === 8 ? pixels : new Uint16Array(pixels.buffer, pixels.byteOffset, pixels.length / 2);
    const space = info.channels === 1 ? (bits === 8 ? 'b-w' : 'grey16') : bits === 8 ? 'srgb' : 'rgb16';
    const raw = { width, height, channels: info.channels as 1 | 3 | 4 };
    cells.push(await sharp(samples, { raw }).toColourspace(space).png({ compressionLevel: 1 }).toBuffer());
  }
  return cells;
}

/**
 * Makes a grid whose tiles are the file's images, as in photos from phones. Only the grid itself gets colour
 * properties.
 */
export function gridFile({ items, ...file }: HeifFile, { columns, rows, whole }: Cells): HeifFile {
  const tiles = items.filter(({ type }) => type === 'hvc1' || type === 'av01').slice(0, columns * rows);
  const [first] = tiles;
  const colours = first?.properties?.filter((property) => isOf(property, 'colr')) ?? [];
  const depth = first?.properties?.filter((property) => isOf(property, 'pixi')) ?? [];
  const id = 800;
  return {
    ...file,
    primary: id,
    items: [
      ...withoutColours({ ...file, items: tiles }).items.map((item) => ({ ...item, isHidden: true })),
      {
        ...{ id, type: 'grid', data: gridOf(columns, rows, whole.width, whole.height) },
        properties: [imageSize(whole.width, whole.height), ...depth, ...colours],
        references: { dimg: tiles.map((tile) => tile.id) },
      },
    ],
  };
}

/** Makes an image that is derived from another image by identity (ISO/IEC 23008-12, section 6.6.2.1). */
export function identityFile({ items, ...file }: HeifFile, size: Size): HeifFile {
  const id = 801;
  const source = items.find((item) => item.id === file.primary);
  const colours = source?.properties?.filter((property) => isOf(property, 'colr') || isOf(property, 'pixi')) ?? [];
  return {
    ...file,
    primary: id,
    items: [
      ...items.map((item) => ({ ...item, isHidden: true })),
      {
        ...{ id, type: 'iden', data: new Uint8Array() },
        properties: [imageSize(size.width, size.height), ...colours],
        references: { dimg: [file.primary ?? 0] },
      },
    ],
  };
}
