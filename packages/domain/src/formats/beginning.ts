import type { MediaType } from '../media/types.ts';
import type { ByteSource } from '../objects/object-storage.ts';
import { BOX_HEADER, uint64 } from './boxes.ts';
import { type BrandedImage, brandedImage } from './brands.ts';
import { fourCc, viewOf } from './forward-reader.ts';

/** The type of a video according to its first boxes. */
export interface MovieBeginning {
  readonly type: Extract<MediaType, `video/${string}`>;
  /** Whether the major brand is a 3GP brand; the file then counts as MP4 only if MP4 allows its codecs. */
  readonly is3gp: boolean;
}

/** Files of other types that begin with the same boxes. `segment` is a part of a stream without its header. */
export interface OtherBeginning {
  readonly other: BrandedImage | '3gp' | 'audio' | 'segment';
}

/**
 * Boxes without media that may come before the box that identifies the file's type (ISO/IEC 14496-12, sections 4.2 and
 * 8.1.2; QuickTime File Format, "Preview atom": `pnot` refers to an image next to it).
 */
const FILLERS: ReadonlySet<string> = new Set(['free', 'skip', 'wide', 'uuid', 'udta', 'pnot', 'PICT', 'junk']);
const MAX_FILLERS = 1000;

/** The first boxes of a stream segment, whose movie box is in another file. */
const SEGMENTS: ReadonlySet<string> = new Set(['styp', 'sidx', 'moof']);

/** Maximum number of bytes read for the major brand, the version and the compatible brands; enough for 1,000 brands. */
const MAX_BRANDS_LENGTH = 8192;

/**
 * Reads the brands of an ISO base media file or a QuickTime movie, after any filler boxes. A file without brands is a
 * QuickTime movie. Throws whatever `source.read` throws.
 *
 * @returns `open` if a filler box reaches the end of the bytes; null if the file begins with none of the known boxes
 */
export async function readBeginning(source: ByteSource): Promise<MovieBeginning | OtherBeginning | 'open' | null> {
  let offset = 0;
  for (let fillers = 0; fillers <= MAX_FILLERS; fillers += 1) {
    const header = viewOf(await source.read(offset, Math.min(16, Math.max(0, source.size - offset))));
    if (header.byteLength < BOX_HEADER) return offset === 0 ? null : 'open';
    const type = fourCc(header, 4);
    const start = header.getUint32(0) === 1 ? 16 : BOX_HEADER;
    const size =
      start === BOX_HEADER ? header.getUint32(0) : header.byteLength < start ? 0 : uint64(header, BOX_HEADER);
    const isToTheEnd = size === 0;
    if (!isToTheEnd && size < start) return null;
    if (type === 'moov' || type === 'mdat') return QUICKTIME;
    if (type === 'ftyp') {
      const length = Math.min(isToTheEnd ? Number.POSITIVE_INFINITY : size, source.size - offset, MAX_BRANDS_LENGTH);
      return byBrands(viewOf(await source.read(offset + start, Math.max(0, length - start))));
    }
    if (SEGMENTS.has(type)) return { other: 'segment' };
    if (!FILLERS.has(type)) return null;
    if (isToTheEnd) return 'open';
    offset += size;
  }
  return null;
}

const MP4: MovieBeginning = { type: 'video/mp4', is3gp: false };
const QUICKTIME: MovieBeginning = { type: 'video/quicktime', is3gp: false };

/** Brands of the base format and of MP4; a file with one of them can be played as MP4. */
const IS_MP4_BRAND = /^(?:iso[m2-9abc]|mp4[12])$/;
const IS_AUDIO_BRAND = /^(?:M4[ABP]|F4[AB]) $/;
const IS_PRINTABLE = /^[\x21-\x7e]/;

/** @param content the content of `ftyp`, or as much of it as exists */
function byBrands(content: DataView): MovieBeginning | OtherBeginning | null {
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
