import { deflateSync } from 'node:zlib';
import {
  APP1,
  ForwardReader,
  jpegParts,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  SEGMENT_HEADER,
  SOI,
} from '@postshelf/domain/formats';
import { pngChunk } from '../png.ts';

/** Data that is stored along with the pixels. */
export interface Beside {
  readonly profile: Uint8Array | null;
  readonly exif: Uint8Array | null;
  readonly xmp: Uint8Array | null;
}

const [APP0, APP2] = [0xe0, 0xe2];
const MAX_SEGMENT = 65_533;
const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1');
const XMP_NAME = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const PROFILE_NAME = Buffer.from('ICC_PROFILE\0', 'latin1');

/**
 * Adds profile, EXIF and XMP to a JPEG.
 *
 * @param jpeg without any of them
 */
export function withBesideInJpeg(jpeg: Uint8Array, { profile, exif, xmp }: Beside): Uint8Array {
  const segments = [
    ...(exif ? [segment(APP1, EXIF_NAME, exif)] : []),
    ...(xmp && XMP_NAME.length + xmp.length <= MAX_SEGMENT ? [segment(APP1, XMP_NAME, xmp)] : []),
    ...(profile ? profileSegments(profile) : []),
  ];
  const at = endOfJfif(jpeg);
  return Buffer.concat([jpeg.subarray(0, at), ...segments, jpeg.subarray(at)]);
}

/** Returns the offset after the JFIF segment, which has to be the first segment. */
function endOfJfif(jpeg: Uint8Array): number {
  let end = 2;
  for (const part of jpegParts(ForwardReader.over(jpeg))) {
    if (typeof part === 'number') break;
    if (part.code === SOI) continue;
    if (part.code === APP0) end += SEGMENT_HEADER + part.length;
    break;
  }
  return end;
}

function segment(code: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  const header = Buffer.from([0xff, code, 0, 0]);
  header.writeUInt16BE(2 + content.length, 2);
  return Buffer.concat([header, content]);
}

/** Returns a profile in numbered parts (ICC.1:2022, section B.4). */
function profileSegments(profile: Uint8Array): readonly Uint8Array[] {
  const room = MAX_SEGMENT - PROFILE_NAME.length - 2;
  const count = Math.ceil(profile.length / room);
  return Array.from({ length: count }, (_, index) =>
    segment(APP2, PROFILE_NAME, Uint8Array.of(index + 1, count), profile.subarray(index * room, (index + 1) * room)),
  );
}

const HEADER_END = PNG_SIGNATURE + PNG_CHUNK_HEADER + 13 + 4;
/** The keyword of XMP, uncompressed and without a language (XMP part 3, section 1.1.5). */
const XMP_KEYWORD = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1');

/**
 * Adds profile, EXIF and XMP to a PNG.
 *
 * @param png without any of them
 */
export function withBesideInPng(png: Uint8Array, { profile, exif, xmp }: Beside): Uint8Array {
  const chunks = [
    ...(profile ? [pngChunk('iCCP', Buffer.concat([Buffer.from('colours\0\0', 'latin1'), deflateSync(profile)]))] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [pngChunk('iTXt', Buffer.concat([XMP_KEYWORD, xmp]))] : []),
  ];
  return Buffer.concat([png.subarray(0, HEADER_END), ...chunks, png.subarray(HEADER_END)]);
}
