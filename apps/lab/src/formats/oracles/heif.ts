import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type HeifItem, insertIntoPng, pngChunk, readHeif, toned } from '@postshelf/testing/fixtures';
import sharp from 'sharp';
import { fingerprintOf } from '../fingerprint.ts';
import { outputOf } from './run.ts';
import { kindOf, type Loss, type Oracle, type View } from './view.ts';

/**
 * Opens the decoders of HEIC and AVIF: libheif's `heif-convert`, libavif's `avifdec`, and ffmpeg for HEIC files that
 * contain only a sequence. The decoded image is compared with the stored copy, pixel by pixel. Returns null if one of
 * the three programs isn't installed.
 */
export function openHeif(): Oracle | null {
  const programs = ['heif-convert', 'avifdec', 'ffmpeg'].map((name) => Bun.which(name));
  const [heifConvert, avifdec, ffmpeg] = programs;
  if (!heifConvert || !avifdec || !ffmpeg) return null;
  return {
    name: 'libheif and libavif',
    async inspect(specimen, original): Promise<View | null> {
      if ((await kindOf(specimen)) !== 'heif') return null;
      const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
      try {
        const file = await Bun.file(specimen.path).bytes();
        const { isAv1, isSequence, isMultiplied, own, number, numbers, profile } = primaryOf(file);
        const png = join(folder, 'decoded.png');
        if (isAv1)
          await outputOf(
            [avifdec, '-d', '16', '-j', '2', '--png-compress', '1', '--no-strict', specimen.path, png],
            TIMEOUT,
          );
        else if (isSequence)
          await outputOf([ffmpeg, '-v', 'error', '-f', 'mov', '-i', specimen.path, '-frames:v', '1', png]);
        else await outputOf([heifConvert, '--quiet', specimen.path, png], TIMEOUT);
        // If the file contains several images, the decoder numbers its output files.
        const numbered = join(folder, `decoded-${number}.png`);
        const found = (await Bun.file(numbered).exists()) ? numbered : png;
        if (!(await Bun.file(found).exists())) return { shows: false };
        const curve = numbers && CURVES_OF_HDR[numbers.transfer];
        const decoded = curve && !profile ? await withoutHdr(ffmpeg, found, curve, folder) : found;
        const samples = await pixelsOfFile(ffmpeg, decoded);
        // heif-convert leaves colours multiplied by alpha.
        if (isMultiplied && !isAv1) divideByAlpha(samples);
        const pixels = await transformed(samples, isAv1 ? own : []);
        const { width, height } = pixels;
        const isTransparent = pixels.samples.some((sample, at) => at % 4 === 3 && sample < 255);
        const shown = await shownPixels(pixels, { profile, numbers: curve ? null : numbers, ffmpeg, folder });
        const loss = original ? await lossOf(pixels, await original(), { ffmpeg, folder }) : null;
        return {
          ...{ shows: true, type: isTransparent ? 'image/png' : 'image/jpeg', width, height },
          fingerprint: fingerprintOf(shown.samples, width, height, 4),
          notes: [
            ...(hasMovie(file) ? ['sequence'] : []),
            ...(curve && !profile ? ['HDR'] : []),
            ...(own.some((property) => Buffer.from(property).toString('latin1', 4, 8) === 'clap') ? ['cropped'] : []),
          ],
          ...(loss && { loss }),
        };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: async () => undefined,
  };
}

/**
 * Maximum milliseconds for decoding. On a busy machine heif-convert takes two minutes to write 48 megapixels as a PNG.
 */
const TIMEOUT = 600_000;

/** Pixels as four bytes each, row by row. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

interface Primary {
  readonly isAv1: boolean;
  readonly isSequence: boolean;
  readonly isMultiplied: boolean;
  readonly own: readonly Uint8Array[];
  /** The position of the primary image among the images that aren't hidden, counted from 1. */
  readonly number: number;
  readonly numbers: { readonly primaries: number; readonly transfer: number } | null;
  readonly profile: Uint8Array | null;
}

const hasMovie = (file: Uint8Array): boolean => Buffer.from(file).includes('moov');

const IMAGES = new Set(['hvc1', 'av01', 'grid', 'iden']);

function primaryOf(file: Uint8Array): Primary {
  const bytes = Buffer.from(file);
  try {
    const { items, primary, brand } = readHeif(file);
    const item = items.find(({ id }) => id === primary);
    const isOther = ({ references = {} }: HeifItem): boolean => 'thmb' in references || 'auxl' in references;
    const shown = items.filter((one) => IMAGES.has(one.type) && !one.isHidden && !isOther(one));
    const own = item?.properties ?? [];
    const numbers = coloursOf(own, 'nclx');
    return {
      isAv1: items.some(({ type }) => type === 'av01') || brand.startsWith('avi'),
      isSequence: item === undefined,
      isMultiplied: items.some(({ references = {} }) => 'prem' in references),
      own,
      number: 1 + shown.findIndex(({ id }) => id === primary),
      numbers: numbers && { primaries: numbers.readUInt16BE(0), transfer: numbers.readUInt16BE(2) },
      profile: coloursOf(own, 'prof'),
    };
  } catch {
    // The file is truncated, or has a layout that readHeif doesn't support.
    const isAv1 = bytes.includes('av01');
    return { isAv1, isSequence: false, isMultiplied: false, own: [], number: 1, numbers: null, profile: null };
  }
}

/** Returns the content of the `colr` property of the given kind. */
const coloursOf = (properties: readonly Uint8Array[], kind: string): Buffer | null =>
  properties
    .map((property) => Buffer.from(property))
    .find((bytes) => bytes.toString('latin1', 4, 12) === `colr${kind}`)
    ?.subarray(12) ?? null;

type Curve = Parameters<typeof toned>[0];

const CURVES_OF_HDR: Readonly<Record<number, Curve>> = { 16: 'smpte2084', 18: 'arib-std-b67' };

/** Converts HDR to the colours of sRGB, as the service does for covers of videos. */
async function withoutHdr(ffmpeg: string, png: string, curve: Curve, folder: string): Promise<string> {
  const made = join(folder, 'toned.png');
  await outputOf([ffmpeg, '-nostdin', '-v', 'error', '-i', png, '-vf', toned(curve), made]);
  return made;
}

function divideByAlpha({ samples }: Pixels): void {
  for (let at = 0; at < samples.length; at += 4) {
    const alpha = samples[at + 3] ?? 0;
    for (let channel = at; alpha > 0 && channel < at + 3; channel += 1)
      samples[channel] = Math.min(255, Math.round((255 * (samples[channel] ?? 0)) / alpha));
  }
}

/**
 * Applies the transforms that avifdec leaves to its callers, in the order in which the file lists them (ISO/IEC
 * 23008-12, section 6.5).
 */
async function transformed(pixels: Pixels, properties: readonly Uint8Array[]): Promise<Pixels> {
  let now = pixels;
  for (const property of properties) {
    const bytes = Buffer.from(property);
    const image = sharp(now.samples, { raw: { width: now.width, height: now.height, channels: 4 } });
    const type = bytes.toString('latin1', 4, 8);
    const then =
      type === 'irot'
        ? image.rotate(-90 * ((bytes[8] ?? 0) & 3))
        : type === 'imir'
          ? ((bytes[8] ?? 0) & 1) === 0
            ? image.flip()
            : image.flop()
          : type === 'clap'
            ? image.extract(cropOf(bytes, now))
            : null;
    if (then === null) continue;
    const { data, info } = await then.raw().toBuffer({ resolveWithObject: true });
    now = { width: info.width, height: info.height, samples: data };
  }
  return now;
}

/** Returns the crop rounded to whole pixels, because the file may define one that begins between two pixels. */
function cropOf(clap: Buffer, { width, height }: Pixels) {
  const fraction = (index: number): number => clap.readInt32BE(8 + 8 * index) / clap.readUInt32BE(12 + 8 * index);
  const [across, down] = [Math.round(fraction(0)), Math.round(fraction(1))];
  const left = Math.round(fraction(2) + (width - fraction(0)) / 2);
  const top = Math.round(fraction(3) + (height - fraction(1)) / 2);
  return { left, top, width: Math.min(across, width - left), height: Math.min(down, height - top) };
}

interface Meaning {
  readonly profile: Uint8Array | null;
  readonly numbers: Primary['numbers'];
  readonly ffmpeg: string;
  readonly folder: string;
}

/** ffmpeg's names (filter `zscale`) for the codes of colour primaries. All other primaries are treated as sRGB's. */
const PRIMARIES: Readonly<Record<number, string>> = { 9: '2020', 12: 'smpte432' };
const TRANSFERS: Readonly<Record<number, string>> = { 8: 'linear' };

/**
 * Converts the samples to sRGB with the colour profile; without a profile, with the codes of primaries and transfer.
 */
async function shownPixels(pixels: Pixels, { profile, numbers, ffmpeg, folder }: Meaning): Promise<Pixels> {
  const { width, height, samples } = pixels;
  const plain = sharp(samples, { raw: { width, height, channels: 4 } }).png({ compressionLevel: 1 });
  const [from, to] = [join(folder, 'samples.png'), join(folder, 'shown.png')];
  if (profile) {
    // A grey profile doesn't fit these samples.
    if (Buffer.from(profile).toString('latin1', 16, 20) !== 'RGB ') return pixels;
    const own = pngChunk('iCCP', Buffer.concat([Buffer.from('own\0\0', 'latin1'), deflateSync(profile)]));
    await sharp(insertIntoPng(await plain.toBuffer(), own))
      .toColourspace('srgb')
      .png({ compressionLevel: 1 })
      .toFile(to);
    return pixelsOfFile(ffmpeg, to);
  }
  const [primaries, transfer] = [PRIMARIES[numbers?.primaries ?? 1], TRANSFERS[numbers?.transfer ?? 13]];
  if (primaries === undefined && transfer === undefined) return pixels;
  await plain.toFile(from);
  const source = `pin=${primaries ?? '709'}:tin=${transfer ?? 'iec61966-2-1'}:min=gbr:rin=full`;
  const filters = ['format=gbrp16le', `zscale=${source}:p=709:t=iec61966-2-1:m=gbr:r=full`, 'format=rgb24'];
  await outputOf([ffmpeg, '-nostdin', '-v', 'error', '-i', from, '-vf', filters.join(','), to]);
  return pixelsOfFile(ffmpeg, to);
}

/** Reads the samples of a PNG or a JPEG unchanged, whatever its profile and its orientation are. */
async function pixelsOfFile(ffmpeg: string, path: string): Promise<Pixels> {
  const { width, height } = await sharp(path).metadata();
  const samples = await outputOf([
    ...[ffmpeg, '-nostdin', '-v', 'error', '-noautorotate', '-i', path, '-frames:v', '1'],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-'],
  ]);
  if (samples?.length !== 4 * width * height) throw new Error(`ffmpeg cannot read ${path}.`);
  return { width, height, samples };
}

/** The quality with which the service encodes images. */
const QUALITY = 92;

/**
 * Encodes the decoder's pixels as the service does, and returns how much the stored file differs from the result; null
 * if the two images have different dimensions.
 */
async function lossOf(pixels: Pixels, stored: Uint8Array, { ffmpeg, folder }: Pick<Meaning, 'ffmpeg' | 'folder'>) {
  const { width, height, samples } = pixels;
  const [own, reference] = [join(folder, 'stored'), join(folder, 'reference')];
  await Bun.write(own, stored);
  const isPng = stored[0] === 0x89;
  const png = await sharp(samples, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const made = isPng ? png : await new Bun.Image(png).jpeg({ quality: QUALITY }).bytes();
  await Bun.write(reference, made);
  const [one, other] = [await pixelsOfFile(ffmpeg, own), await pixelsOfFile(ffmpeg, reference)];
  return one.width === other.width && one.height === other.height ? differenceOf(one, other) : null;
}

/** Compares colours weighted by their opacity, so that those of transparent pixels don't count. */
function differenceOf({ samples: own, width, height }: Pixels, { samples }: Pixels): Loss {
  let [sum, squares, max] = [0, 0, 0];
  for (let at = 0; at < samples.length; at += 4) {
    const [alpha, otherAlpha] = [own[at + 3] ?? 0, samples[at + 3] ?? 0];
    const apart = Math.abs(alpha - otherAlpha);
    max = Math.max(max, apart);
    for (let channel = at; channel < at + 3; channel += 1) {
      const difference = Math.abs((own[channel] ?? 0) * alpha - (samples[channel] ?? 0) * otherAlpha) / 255;
      sum += difference;
      squares += difference * difference;
      if (difference > max) max = difference;
    }
  }
  const count = 3 * width * height;
  return {
    mean: sum / count,
    psnr: squares === 0 ? 99 : 10 * Math.log10((255 * 255 * count) / squares),
    max: Math.round(max),
  };
}
