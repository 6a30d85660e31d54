import type { ByteSource } from '../objects/object-storage.ts';
import { BOX_HEADER, uint64 } from './boxes.ts';
import { type MovieBeginning, type OtherBrand, QUICKTIME, typeByBrands } from './brands.ts';
import { fourCc, viewOf } from './forward-reader.ts';

/** Files of other types that begin with the same boxes. `segment` is a part of a stream without its header. */
export interface OtherBeginning {
  readonly other: OtherBrand | 'segment';
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
      return typeByBrands(viewOf(await source.read(offset + start, Math.max(0, length - start))));
    }
    if (SEGMENTS.has(type)) return { other: 'segment' };
    if (!FILLERS.has(type)) return null;
    if (isToTheEnd) return 'open';
    offset += size;
  }
  return null;
}
