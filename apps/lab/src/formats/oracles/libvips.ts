import sharp from 'sharp';
import { fingerprintOf } from '../fingerprint.ts';
import { kindOf, type Oracle, type View } from './view.ts';

const TYPES: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
};

/**
 * Opens libvips through the package `sharp`. It shows an image in sRGB after applying the orientation. For an animation
 * it shows the first frame on the canvas.
 */
export function openLibvips(): Oracle {
  // An earlier run may have used the same file names for other files, whose pixels the cache could return.
  sharp.cache(false);
  return {
    name: 'libvips',
    async inspect(specimen): Promise<View | null> {
      const kind = await kindOf(specimen);
      if (kind === 'movie' || kind === 'heif' || kind === 'other') return null;
      const bytes = await Bun.file(specimen.path).bytes();
      // libvips refuses some JPEGs without an end marker, although other programs show them.
      const unended = kind === 'jpeg' && !hasEndMarker(bytes) ? ['no end marker'] : [];
      try {
        const { format, hasProfile, orientation = 1, exif, space, icc } = await sharp(bytes).metadata();
        const { data, info } = await sharp(bytes, { failOn: 'error' })
          .autoOrient()
          .toColourspace('srgb')
          .ensureAlpha()
          .raw({ depth: 'uchar' })
          .toBuffer({ resolveWithObject: true });
        const { width, height } = info;
        const type = format && TYPES[format];
        const notes = [
          ...(hasStillBesideAnimation(bytes) ? ['still image beside the animation'] : []),
          ...(kind === 'png' && hasOtherColours(bytes) ? ['colours without a profile'] : []),
          ...(kind === 'webp' && orientation > 1 ? ['WebP with an orientation'] : []),
          ...(space === 'cmyk' && icc?.toString('latin1', 16, 20) !== 'CMYK' ? ['CMYK without a profile'] : []),
          ...(kind !== 'webp' && orientation !== orientationInBrowsers(exif ?? namedExif(bytes))
            ? ['orientation that browsers read otherwise']
            : []),
          ...(kind === 'webp' && hasAnimation(bytes) && hasProfile ? ['animated WebP with a profile'] : []),
          ...unended,
          ...((await isWhole(bytes)) ? [] : ['incomplete']),
        ];
        return {
          shows: true,
          ...(type && { type }),
          width,
          height,
          fingerprint: fingerprintOf(data, width, height, 4),
          notes,
        };
      } catch {
        return { shows: false, notes: unended };
      }
    },
    close: async () => undefined,
  };
}

/** Whether this is an APNG whose first frame comes after `IDAT`. */
function hasStillBesideAnimation(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const data = bytes.indexOf('IDAT');
  const before = bytes.subarray(0, Math.max(0, data));
  return before.includes('acTL') && !before.includes('fcTL');
}

/** Whether the file specifies its colours with `gAMA`, `cHRM` or `cICP`, instead of or in addition to a profile. */
const hasOtherColours = (png: Uint8Array): boolean => {
  const bytes = Buffer.from(png.subarray(0, 4096));
  return ['gAMA', 'cHRM', 'cICP'].some((name) => bytes.includes(name));
};

const hasAnimation = (webp: Uint8Array): boolean => Buffer.from(webp.subarray(0, 4096)).includes('ANMF');

const [EXIF_NAME, EXIF_NAME_LENGTH] = ['Exif\0', 6];

/**
 * Returns the EXIF block, beginning with its name `Exif`; empty if there is none. This also finds a block whose name
 * ends with a byte other than 0, which libvips doesn't recognise.
 */
function namedExif(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const at = bytes.indexOf(EXIF_NAME, 0, 'latin1');
  return at < 0 ? Buffer.alloc(0) : bytes.subarray(at);
}

const [ORIENTATION, SHORT] = [0x0112, 3];

/**
 * Returns the orientation as browsers read it. In the first directory, they use the first orientation field that is a
 * single SHORT with a value from 1 to 8. Without such a field the orientation is 1.
 *
 * @param exif the EXIF block, including its name
 */
function orientationInBrowsers(exif: Buffer): number {
  const tiff = exif.subarray(EXIF_NAME_LENGTH);
  const isLittleEndian = tiff.toString('latin1', 0, 2) === 'II';
  const uint = (at: number, length: 2 | 4): number =>
    at + length > tiff.length ? 0 : isLittleEndian ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length);
  const directory = uint(4, 4);
  const fields = Array.from({ length: uint(directory, 2) }, (_, index) => directory + 2 + 12 * index);
  const values = fields
    .filter((at) => uint(at, 2) === ORIENTATION && uint(at + 2, 2) === SHORT && uint(at + 4, 4) === 1)
    .map((at) => uint(at + 8, 2));
  return values.find((value) => value >= 1 && value <= 8) ?? 1;
}

/** Whether an end marker follows the beginning of the last scan. */
function hasEndMarker(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  return bytes.lastIndexOf('ffd9', undefined, 'hex') > bytes.lastIndexOf('ffda', undefined, 'hex');
}

/**
 * Whether the file is complete. Most decoders show an incomplete file with only a warning, but the service is right to
 * refuse it.
 */
const isWhole = (bytes: Uint8Array): Promise<boolean> =>
  sharp(bytes, { failOn: 'truncated' })
    .stats()
    .then(
      () => true,
      () => false,
    );
