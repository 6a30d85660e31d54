import { VP8X, WEBP_CHUNK_HEADER, WEBP_HEADER, webpChunks } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { MAX_EXIF_LENGTH, stripExif } from './exif.ts';
import { stripThumbnail } from './jpeg-segment.ts';
import { namesGpsPosition, type Outcome } from './names.ts';
import type { PatchList } from './patch-list.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

/** A chunk type that decoders skip in every RIFF format. */
const DROPPED = Buffer.from('JUNK', 'latin1');

interface Metadata {
  readonly longest: number;
  readonly flag: number;
  readonly strip: (content: Uint8Array) => Outcome;
}

const METADATA: Readonly<Record<string, Metadata>> = {
  EXIF: { longest: MAX_EXIF_LENGTH, flag: VP8X.exif, strip: (content) => stripExif(content, stripThumbnail) },
  'XMP ': { longest: MAX_XMP_LENGTH, flag: VP8X.xmp, strip: stripXmp },
  C2PA: {
    longest: MAX_EXIF_LENGTH,
    flag: 0,
    strip: (content) => (namesGpsPosition(content) ? 'drop' : 'untouched'),
  },
};

export async function findInWebp(cursor: Cursor, patches: PatchList): Promise<void> {
  const { forward } = cursor;
  let flags: { readonly at: number; readonly before: number; after: number } | null = null;
  forward.skip(WEBP_HEADER);
  for await (const { type, at, ...chunk } of cursor.parts(webpChunks(forward, cursor.size))) {
    const start = at + WEBP_CHUNK_HEADER;
    const length = Math.min(chunk.length, cursor.size - start);
    if (type === 'VP8X' && length > 0 && !flags) {
      await forward.fill(WEBP_CHUNK_HEADER + 1);
      const before = forward.byte(WEBP_CHUNK_HEADER);
      flags = { at: start, before, after: before };
    }
    const metadata = Object.hasOwn(METADATA, type) ? METADATA[type] : undefined;
    if (metadata && (await stripChunk(cursor, at, length, metadata, patches)) && flags) flags.after &= ~metadata.flag;
  }
  if (flags && flags.after !== flags.before) patches.write(flags.at, new Uint8Array([flags.after]));
}

async function stripChunk(
  cursor: Cursor,
  at: number,
  length: number,
  { longest, strip }: Metadata,
  patches: PatchList,
): Promise<boolean> {
  const start = at + WEBP_CHUNK_HEADER;
  const before = length > longest ? null : await cursor.block(start, length);
  const after = before && new Uint8Array(before);
  const outcome = after ? strip(after) : 'drop';
  if (before && after && outcome === 'changed') patches.replace(start, before, after);
  if (outcome !== 'drop') return false;
  patches.write(at, DROPPED);
  patches.fill(start, length);
  return true;
}
