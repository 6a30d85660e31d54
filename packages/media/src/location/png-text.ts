import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { stripSegment, stripThumbnail } from './jpeg-segment.ts';
import { isCoordinate, latin1, mayNameCoordinates, namesGpsPosition, type Outcome } from './names.ts';
import { isPhotoshop, stripPhotoshop } from './photoshop.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

/** Maximum length of a keyword: 79 bytes, followed by a zero (PNG, section 11.3.3). */
export const KEYWORD_LENGTH = 80;

const XMP_KEYWORD = 'XML:com.adobe.xmp';
/**
 * Matches the keywords of text chunks in which ImageMagick and exiftool store EXIF, XMP, an APP1 segment or Photoshop's
 * resources, which older programs call IPTC. The text has a name, a length and the bytes as hexadecimal digits.
 */
const PROFILE_KEYWORD = /^Raw profile type (?:exif|APP1|xmp|8bim|iptc)$/i;

/** Whether a chunk may contain a location. ImageMagick writes each EXIF tag as a separate chunk: `exif:GPSLatitude`. */
export function mayContainLocation(head: Uint8Array): boolean {
  const keyword = keywordOf(head);
  return keyword === XMP_KEYWORD || PROFILE_KEYWORD.test(keyword) || isCoordinate(keyword);
}

/**
 * Strips a text chunk in place if it is uncompressed XMP. Any other chunk has to be removed if it contains coordinates
 * or is malformed.
 */
export async function stripPngText(type: 'tEXt' | 'zTXt' | 'iTXt', data: Uint8Array): Promise<Outcome> {
  const keyword = keywordOf(data);
  if (isCoordinate(keyword)) return 'drop';
  const text = textOf(type, data, keyword.length + 1);
  if (text === null) return 'drop';
  if (!text.isCompressed && keyword === XMP_KEYWORD) return stripXmp(text.bytes);
  const bytes = text.isCompressed ? await inflated(text.bytes) : text.bytes;
  if (bytes === null) return 'drop';
  return (keyword === XMP_KEYWORD ? hasPlace(bytes) : profileHasPlace(bytes)) ? 'drop' : 'untouched';
}

const keywordOf = (data: Uint8Array): string => {
  const head = latin1(data.subarray(0, KEYWORD_LENGTH));
  return head.includes('\0') ? head.slice(0, head.indexOf('\0')) : head;
};

interface Text {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

/** Returns the text after the keyword; null if the chunk ends before it. */
function textOf(type: 'tEXt' | 'zTXt' | 'iTXt', data: Uint8Array, start: number): Text | null {
  if (type === 'tEXt') return { bytes: data.subarray(start), isCompressed: false };
  // Skips the byte of the compression method.
  if (type === 'zTXt') return { bytes: data.subarray(start + 1), isCompressed: true };
  // Two bytes specify whether and how the text is compressed. The language and the translated keyword follow.
  const language = data.indexOf(0, start + 2);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  return translated < 0 ? null : { bytes: data.subarray(translated + 1), isCompressed: data[start] === 1 };
}

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate);

/** Returns the decompressed text; null if the text is damaged, or longer than any reader accepts. */
async function inflated(bytes: Uint8Array): Promise<Uint8Array | null> {
  try {
    return await unpack(bytes, { maxOutputLength: 2 * MAX_XMP_LENGTH });
  } catch {
    return null;
  }
}

const hasPlace = (xmp: Uint8Array): boolean => mayNameCoordinates(latin1(xmp));

/** Whether a profile such as `\nexif\n   1234\n457869660000…` contains coordinates. */
function profileHasPlace(text: Uint8Array): boolean {
  const digits = /^\s*\S+\s+\d+\s+([\da-f\s]*)$/i.exec(latin1(text).replace(/\0+$/, ''))?.[1];
  if (digits === undefined) return true;
  const content = Buffer.from(digits.replace(/\s/g, ''), 'hex');
  if (isPhotoshop(content)) return stripPhotoshop(content, stripThumbnail) !== 'untouched' || namesGpsPosition(content);
  const APP1 = 0xe1;
  const asExif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), content]);
  // Some programs leave out the segment's EXIF header, so the content is also checked with that header in front of it.
  return [content, asExif].some((one) => stripSegment(APP1, one) !== 'untouched') || hasPlace(content);
}
