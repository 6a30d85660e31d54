import type { MediaType } from '../media/types.ts';
import { fourCc } from './forward-reader.ts';

/** Image formats that are ISO base media files, like videos, but can be told apart from videos by their brands. */
type BrandedImage = 'heic' | 'avif' | 'heif' | 'cr3' | 'jp2';

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
interface Brands {
  readonly major: string;
  readonly compatible: readonly string[];
}

/**
 * Returns the kind of image that a file with these brands is; null if it may be a video. The major brand decides. If it
 * is a generic HEIF brand, which doesn't name the codec, a compatible brand decides.
 */
function brandedImage({ major, compatible }: Brands): BrandedImage | null {
  const image = IMAGE_BRANDS[major] ?? null;
  if (image !== 'heif') return image;
  return compatible.map((brand) => IMAGE_BRANDS[brand]).find((other) => other === 'heic' || other === 'avif') ?? image;
}

/** The type of a video according to its first boxes. */
export interface MovieBeginning {
  readonly type: Extract<MediaType, `video/${string}`>;
  /** Whether the major brand is a 3GP brand; the file then counts as MP4 only if MP4 allows its codecs. */
  readonly is3gp: boolean;
}

/** A kind of file that has brands but isn't a video. */
export type OtherBrand = BrandedImage | '3gp' | 'audio';

const MP4: MovieBeginning = { type: 'video/mp4', is3gp: false };
export const QUICKTIME: MovieBeginning = { type: 'video/quicktime', is3gp: false };

/** Brands of the base format and of MP4; a file with one of them can be played as MP4. */
const IS_MP4_BRAND = /^(?:iso[m2-9abc]|mp4[12])$/;
const IS_AUDIO_BRAND = /^(?:M4[ABP]|F4[AB]) $/;
const IS_PRINTABLE = /^[\x21-\x7e]/;

/**
 * Returns the type that the brands of a file name; null if they name none.
 *
 * @param content the content of `ftyp`, or as much of it as exists
 */
export function typeByBrands(content: DataView): MovieBeginning | { readonly other: OtherBrand } | null {
  if (content.byteLength < 4) return null;
  // Some muxers pad a brand with zeros instead of spaces.
  const brand = (at: number): string => fourCc(content, at).replaceAll('\0', ' ');
  const major = brand(0);
  const compatible: string[] = [];
  for (let at = 8; at + 4 <= content.byteLength; at += 4) compatible.push(brand(at));
  const isAlsoMp4 = compatible.some((name) => IS_MP4_BRAND.test(name));
  if (major === 'qt  ') return QUICKTIME;
  if (major.startsWith('3g')) return isAlsoMp4 ? { type: 'video/mp4', is3gp: true } : { other: '3gp' };
  if (IS_AUDIO_BRAND.test(major)) return { other: 'audio' };
  const image = brandedImage({ major, compatible });
  if (image !== null) return { other: image };
  // Unknown brands are accepted, because muxers invent them.
  return IS_PRINTABLE.test(major) || isAlsoMp4 ? MP4 : null;
}
