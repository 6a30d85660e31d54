import { viewOf } from '../inspect/boxes.ts';
import type { Cursor } from './cursor.ts';
import { MAX_EXIF_LENGTH, stripExif } from './exif.ts';
import { stripThumbnail } from './jpeg-segment.ts';
import { namesGpsPosition, type Outcome } from './names.ts';
import type { PatchList } from './patch-list.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const FILE_HEADER_LENGTH = 12;
const CHUNK_HEADER_LENGTH = 8;

/** A chunk type that decoders skip, as in all RIFF formats. */
const DROPPED = Buffer.from('JUNK', 'latin1');

interface Metadata {
  /** Most bytes of its content. */
  readonly longest: number;
  /** The flag in `VP8X` that announces such a chunk (RFC 9649, section 2.7). */
  readonly flag: number;
  readonly strip: (content: Uint8Array) => Outcome;
}

const METADATA: Readonly<Record<string, Metadata>> = {
  EXIF: { longest: MAX_EXIF_LENGTH, flag: 0x08, strip: (content) => stripExif(content, stripThumbnail) },
  'XMP ': { longest: MAX_XMP_LENGTH, flag: 0x04, strip: stripXmp },
  C2PA: {
    longest: MAX_EXIF_LENGTH,
    flag: 0,
    strip: (content) => (namesGpsPosition(content) ? 'drop' : 'untouched'),
  },
};

/** Finds coordinates in the EXIF and XMP chunks of a WebP. */
export async function findInWebp(cursor: Cursor, patches: PatchList): Promise<void> {
  let flags: { readonly at: number; readonly before: number; after: number } | null = null;
  for (let at = FILE_HEADER_LENGTH; at + CHUNK_HEADER_LENGTH <= cursor.size; ) {
    await cursor.next();
    const header = await cursor.reader.read(at, CHUNK_HEADER_LENGTH);
    // Some files have zeros between chunks.
    if (header[0] === 0) {
      const other = header.findIndex((byte) => byte !== 0);
      at += other < 0 ? CHUNK_HEADER_LENGTH : other;
      continue;
    }
    const type = String.fromCharCode(...header.subarray(0, 4));
    const start = at + CHUNK_HEADER_LENGTH;
    const length = Math.min(viewOf(header).getUint32(4, true), cursor.size - start);
    if (type === 'VP8X' && length > 0 && !flags) {
      const [before = 0] = await cursor.reader.read(start, 1);
      flags = { at: start, before, after: before };
    }
    const metadata = Object.hasOwn(METADATA, type) ? METADATA[type] : undefined;
    if (metadata && (await stripChunk(cursor, at, length, metadata, patches)) && flags) flags.after &= ~metadata.flag;
    at = start + length;
  }
  if (flags && flags.after !== flags.before) patches.write(flags.at, new Uint8Array([flags.after]));
}

/** Whether the whole chunk has to be removed. */
async function stripChunk(
  cursor: Cursor,
  at: number,
  length: number,
  { longest, strip }: Metadata,
  patches: PatchList,
): Promise<boolean> {
  const start = at + CHUNK_HEADER_LENGTH;
  const before = length > longest ? null : await cursor.block(start, length);
  const after = before && new Uint8Array(before);
  const outcome = after ? strip(after) : 'drop';
  if (before && after && outcome === 'changed') patches.replace(start, before, after);
  if (outcome !== 'drop') return false;
  patches.write(at, DROPPED);
  patches.fill(start, length);
  return true;
}
