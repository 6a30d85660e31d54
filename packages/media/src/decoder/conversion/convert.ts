import { type HeifImage, readHeif } from '@postshelf/domain/formats';
import type { ConvertOrder } from '../../child/protocol.ts';
import { BT709, CURVES, displayProfile, PRIMARIES, profileOfGrey } from '../colour-profile.ts';
import { setUpright } from '../image.ts';
import { MAX_PIXELS } from '../max-pixels.ts';
import { decodeAvif } from './avif.ts';
import { type Beside, withBesideInJpeg, withBesideInPng } from './file.ts';
import { decodeHeic } from './heic.ts';
import { exifForCopy, xmpForCopy } from './metadata.ts';
import { bitmapOf, isTransparent } from './raster.ts';
import { hdrCurveOf, toneMapped } from './tone-map.ts';
import { cropOf, croppedBy, orientationFor } from './upright.ts';

const QUALITY = 92;
/** Compression level of PNG. Level 6 takes three times as long, but its files are only 3 % smaller. */
const COMPRESSION = 3;

/**
 * Converts the primary image of a HEIF or an AVIF file to an upright JPEG, or to a PNG if any pixel is transparent.
 *
 * @throws CannotLoad; Error if it can't be decoded
 */
export async function convertImage(bytes: Uint8Array, order: ConvertOrder): Promise<Uint8Array> {
  const image = readHeif(bytes);
  if (image && image.width * image.height > MAX_PIXELS.other) throw new Error('The image has too many pixels.');
  const { bitmap, keepsAlpha, orientation } = await decode(bytes, image, order);
  // The decoder's memory is no longer needed. It is freed before encoding, which may need as much memory again.
  Bun.gc(true);
  const upright = setUpright(new Bun.Image(bitmap, { maxPixels: MAX_PIXELS.other }), orientation);
  const beside = besideOf(image);
  if (keepsAlpha) return withBesideInPng(await upright.png({ compressionLevel: COMPRESSION }).bytes(), beside);
  return withBesideInJpeg(await upright.jpeg({ quality: QUALITY }).bytes(), beside);
}

interface Decoded {
  readonly bitmap: Uint8Array;
  readonly keepsAlpha: boolean;
  /** The EXIF orientation, which has not been applied yet. */
  readonly orientation: number;
}

async function decode(bytes: Uint8Array, image: HeifImage | null, { type, libheif }: ConvertOrder): Promise<Decoded> {
  const curve = hdrCurveOf(image?.numbers ?? null);
  const isDeep = curve !== null;
  const isAv1 = image ? image.coding === 'av01' : type === 'image/avif';
  const crop = cropOf(image?.transforms ?? []);
  // In two cases, the crop is removed from the file and applied after decoding. In a HEIC with a single coded image,
  // because libheif 1.23 counts the pixels outside the crop towards the file's limit. In an AVIF, because libavif
  // refuses a crop whose edges aren't on whole pixels.
  const isPlain = isAv1 || (image !== null && crop !== null && !image.isDerived);
  const whole = image !== null && crop !== null && isPlain ? withoutCrop(bytes, image, crop) : bytes;
  const decoded = isAv1
    ? await decodeAvif(whole, isDeep)
    : await decodeHeic(whole, { library: libheif, isPlain, isDeep, maxPixels: MAX_PIXELS.other });
  const shown = isPlain ? croppedBy(decoded, crop) : decoded;
  const raster = curve && image?.numbers ? toneMapped(shown, curve, image.numbers) : shown;
  const keepsAlpha = isTransparent(raster);
  const orientation = isPlain && image ? orientationFor(image.transforms) : 1;
  return { bitmap: bitmapOf(raster, keepsAlpha), keepsAlpha, orientation };
}

/** Returns a copy of the file whose crop covers the whole image. */
function withoutCrop(bytes: Uint8Array, { width, height }: HeifImage, { at }: { readonly at: number }): Uint8Array {
  const copy = Buffer.from(bytes);
  for (const [index, value] of [width, 1, height, 1, 0, 1, 0, 1].entries()) copy.writeUInt32BE(value, at + 4 * index);
  return copy;
}

function besideOf(image: HeifImage | null): Beside {
  return {
    profile: image && hdrCurveOf(image.numbers) === null ? profileFor(image) : null,
    exif: image?.exif ? exifForCopy(image.exif) : null,
    xmp: image?.xmp ? xmpForCopy(image.xmp) : null,
  };
}

/**
 * Maximum size of a profile, in bytes. Profiles of cameras and displays have a few thousand bytes, profiles of printers
 * a million.
 */
const MAX_PROFILE = 4 * 1024 * 1024;

const HEADER = 128;

/** The curves that browsers treat as sRGB in a still image: the curve of sRGB itself, and those of video standards. */
const USUAL_CURVES: ReadonlySet<number> = new Set([1, 6, 13, 14, 15]);

/** Returns the profile to store an image with; null if the image is in sRGB. */
function profileFor({ profile, numbers }: Pick<HeifImage, 'profile' | 'numbers'>): Uint8Array | null {
  return (profile && ofRgb(profile)) ?? (numbers && ofNumbers(numbers));
}

/**
 * Returns an RGB profile as it is, and an RGB equivalent of a grey profile, because grey images are decoded to RGB.
 * Returns null for any other profile.
 */
function ofRgb(profile: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(profile);
  if (bytes.length <= HEADER || bytes.length > MAX_PROFILE || bytes.toString('latin1', 36, 40) !== 'acsp') return null;
  if (bytes.toString('latin1', 16, 20) === 'RGB ') return bytes;
  try {
    return profileOfGrey(bytes);
  } catch {
    // Decoders ignore a damaged profile.
    return null;
  }
}

function ofNumbers({ primaries, transfer }: NonNullable<HeifImage['numbers']>): Uint8Array | null {
  const space = PRIMARIES[primaries] ?? BT709;
  const curve = (USUAL_CURVES.has(transfer) ? undefined : CURVES[transfer]) ?? 'sRGB';
  return space === BT709 && curve === 'sRGB' ? null : displayProfile(space, curve);
}
