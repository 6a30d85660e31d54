import { APP1, EOI, ForwardReader, jpegParts, SEGMENT_HEADER, SOS } from '@postshelf/domain/formats';
import { stripExif } from './exif.ts';
import { hasCoordinateProperty, namesGpsPosition, type Outcome } from './names.ts';
import { isPhotoshop, stripPhotoshop } from './photoshop.ts';
import { stripXmp } from './xmp.ts';

const [APP2, APP13, APP15] = [0xe2, 0xed, 0xef];

/** The first bytes of APP1 segments of each kind (EXIF 3.0, section 4.7.2; XMP part 3, section 1.1.3). */
const EXIF = Buffer.from('Exif\0', 'latin1');
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const EXTENDED_XMP = Buffer.from('http://ns.adobe.com/xmp/extension/\0', 'latin1');

const EXIF_PREFIX_LENGTH = 6;

export const mayContainLocation = (code: number): boolean => code >= APP1 && code <= APP15;

/**
 * Removes coordinates from the content of an application segment, in place.
 *
 * Segments of extended XMP contain parts of a packet, so a segment that names coordinates is removed as a whole.
 */
export function stripSegment(code: number, content: Uint8Array): Outcome {
  if (code === APP1 && begins(content, EXIF)) return stripExif(content.subarray(EXIF_PREFIX_LENGTH), stripThumbnail);
  if (code === APP1 && begins(content, XMP)) return stripXmp(content.subarray(XMP.length));
  if (code === APP1 && begins(content, EXTENDED_XMP)) return hasCoordinateProperty(content) ? 'drop' : 'untouched';
  const outcome = code === APP13 && isPhotoshop(content) ? stripPhotoshop(content, stripThumbnail) : 'untouched';
  // Colour profiles (APP2) are skipped: they are large and common, and have no field for a position.
  return code !== APP2 && namesGpsPosition(content) ? 'drop' : outcome;
}

/**
 * Whether a segment counts towards the maximum number of metadata blocks, because searching it takes long. Other
 * segments don't count: a file may have hundreds of them.
 */
export const isBlock = (code: number, content: Uint8Array): boolean =>
  (code === APP1 && (begins(content, EXIF) || begins(content, XMP))) || (code === APP13 && isPhotoshop(content));

const begins = (content: Uint8Array, beginning: Uint8Array): boolean =>
  Buffer.compare(content.subarray(0, beginning.length), beginning) === 0;

/** Like {@link stripSegment}, for a small JPEG in memory, up to its first scan. Returns whether it changed. */
export function stripThumbnail(jpeg: Uint8Array): boolean {
  let hasChanged = false;
  const reader = ForwardReader.over(jpeg);
  for (const part of jpegParts(reader)) {
    if (typeof part === 'number') break;
    const { code, length } = part;
    if (code === null || code === SOS || code === EOI || !reader.has(SEGMENT_HEADER + length)) break;
    if (!mayContainLocation(code)) continue;
    const content = reader.bytes(length, SEGMENT_HEADER);
    const outcome = stripSegment(code, content);
    if (outcome === 'drop') content.fill(0);
    if (outcome !== 'untouched') hasChanged = true;
  }
  return hasChanged;
}
