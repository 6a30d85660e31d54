/** Image formats that are ISO base media files, like videos, but can be told apart from videos by their brands. */
export type BrandedImage = 'heic' | 'avif' | 'heif' | 'cr3' | 'jp2';

/** Brands of images and image sequences (ISO/IEC 23008-12, section 10; the registry at mp4ra.org). */
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

/** The brands in `ftyp` (ISO/IEC 14496-12, section 4.3). */
export interface Brands {
  readonly major: string;
  readonly compatible: readonly string[];
}

/**
 * Returns the kind of image that a file with these brands is; null if it may be a video. The major brand decides. If it
 * is a generic HEIF brand, which doesn't name the codec, a compatible brand decides.
 */
export function brandedImage({ major, compatible }: Brands): BrandedImage | null {
  const image = IMAGE_BRANDS[major] ?? null;
  if (image !== 'heif') return image;
  return compatible.map((brand) => IMAGE_BRANDS[brand]).find((other) => other === 'heic' || other === 'avif') ?? image;
}
