import { crc32 } from 'node:zlib';
import {
  CRC_LENGTH,
  PNG_CHUNK_HEADER,
  PNG_SIGNATURE,
  type PngChunk,
  pngChunks,
  viewOf,
} from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { MAX_EXIF_LENGTH, stripExif } from './exif.ts';
import { stripThumbnail } from './jpeg-segment.ts';
import { namesGpsPosition, type Outcome } from './names.ts';
import type { PatchList } from './patch-list.ts';
import { KEYWORD_LENGTH, mayContainLocation, stripPngText } from './png-text.ts';

const MAX_LENGTH = 2 * MAX_EXIF_LENGTH;

/** A chunk type that every decoder skips: ancillary, private, safe to copy (PNG, section 5.4). */
const DROPPED = Buffer.from('voId', 'latin1');
const ZEROS = new Uint8Array(64 * 1024);

type Strip = (data: Uint8Array) => Outcome | Promise<Outcome>;

export async function findInPng(cursor: Cursor, patches: PatchList): Promise<void> {
  cursor.forward.skip(PNG_SIGNATURE);
  for await (const chunk of cursor.parts(pngChunks(cursor.forward))) {
    if (chunk.type === 'IEND' || chunk.at + PNG_CHUNK_HEADER + chunk.length + CRC_LENGTH > cursor.size) return;
    const strip = await stripOf(cursor, chunk);
    if (strip) await stripChunk(cursor, chunk, strip, patches);
  }
}

async function stripOf({ forward }: Cursor, { type, length }: PngChunk): Promise<Strip | null> {
  if (type === 'eXIf') return (data) => stripExif(data, stripThumbnail);
  // This chunk contains claims that a program signed (C2PA).
  if (type === 'caBX') return (data) => (namesGpsPosition(data) ? 'drop' : 'untouched');
  if (type !== 'tEXt' && type !== 'zTXt' && type !== 'iTXt') return null;
  const beginning = Math.min(length, KEYWORD_LENGTH);
  await forward.fill(PNG_CHUNK_HEADER + beginning);
  const head = forward.bytes(beginning, PNG_CHUNK_HEADER);
  return mayContainLocation(head) ? (data) => stripPngText(type, data) : null;
}

async function stripChunk(cursor: Cursor, chunk: PngChunk, strip: Strip, patches: PatchList): Promise<void> {
  const { at, length } = chunk;
  if (length > MAX_LENGTH) return drop(cursor, chunk, patches);
  // The CRC covers the type and the data, so both are read.
  const before = await cursor.block(at + 4, 4 + length);
  const after = new Uint8Array(before);
  const outcome = await strip(after.subarray(4));
  if (outcome === 'drop') return drop(cursor, chunk, patches);
  if (outcome === 'untouched') return;
  patches.replace(at + 4, before, after);
  patches.write(at + PNG_CHUNK_HEADER + length, uint32(crc32(after)));
}

/** Replaces a chunk's type with one that every decoder skips, and its data with zeros. */
async function drop(cursor: Cursor, { at, length }: PngChunk, patches: PatchList): Promise<void> {
  let crc = crc32(DROPPED);
  for (let done = 0; done < length; done += ZEROS.length) {
    crc = crc32(ZEROS.subarray(0, length - done), crc);
    await cursor.nextPiece();
  }
  patches.write(at + 4, DROPPED);
  patches.fill(at + PNG_CHUNK_HEADER, length);
  patches.write(at + PNG_CHUNK_HEADER + length, uint32(crc));
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}
