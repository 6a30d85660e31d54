import { fourCc, viewOf } from './forward-reader.ts';

/** What an ISO base media file is of which the brands say that it isn't a video. */
export type BrandedImage = 'heic' | 'avif' | 'heif' | 'cr3' | 'jp2';

/** Brands of images and image sequences (ISO/IEC 23008-12, 10; the registry at mp4ra.org). */
const IMAGE_BRANDS: Readonly<Record<string, BrandedImage>> = {
  ...Object.fromEntries(
    ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'].map((brand) => [brand, 'heic']),
  ),
  ...Object.fromEntries(['avif', 'avis', 'avio'].map((brand) => [brand, 'avif'])),
  ...Object.fromEntries(
    [
      'mif1',
      'mif2',
      'mif3',
      'msf1',
      'miaf',
      'heif',
      'vvic',
      'vvis',
      'evbi',
      'evmi',
      'avci',
      'avcs',
      'jpeg',
      'jpgs',
    ].map((brand) => [brand, 'heif']),
  ),
  'crx ': 'cr3',
  ...Object.fromEntries(['jp2 ', 'jpx ', 'jpm '].map((brand) => [brand, 'jp2'])),
};

/** Size and type of `ftyp`, then the major brand, its version, and compatible brands (ISO/IEC 14496-12, 4.3). */
const [MAJOR, COMPATIBLE] = [8, 16];

/**
 * The kind of image that a file beginning with `ftyp` is; null if it may be a video. The major brand decides, except that
 * those of HEIF alone don't name the codec: a compatible brand does.
 */
export function brandedImage(head: Uint8Array): BrandedImage | null {
  if (head.length < MAJOR + 4) return null;
  const view = viewOf(head);
  if (fourCc(view, 4) !== 'ftyp') return null;
  const image = IMAGE_BRANDS[fourCc(view, MAJOR)] ?? null;
  if (image !== 'heif') return image;
  const end = Math.min(view.getUint32(0), head.length);
  for (let at = COMPATIBLE; at + 4 <= end; at += 4) {
    const other = IMAGE_BRANDS[fourCc(view, at)];
    if (other === 'heic' || other === 'avif') return other;
  }
  return image;
}
