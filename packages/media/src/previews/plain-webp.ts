import {
  ForwardReader,
  readWebpFrame,
  readWebpPlace,
  VP8X,
  WEBP_CHUNK_HEADER,
  WEBP_HEADER,
  type WebpPlace,
  webpChunks,
} from '@postshelf/domain/formats';

/** Maximum size of a profile, in bytes. Profiles of cameras and screens have a few hundred to three thousand. */
const MAX_PROFILE = 4096;

const COLOUR_SPACE = 16;
const RGB = 'RGB ';

/** Returns only the image and, if it is small, its colour profile; null for bytes that aren't a WebP. */
export function plainWebp(bytes: Uint8Array): Uint8Array | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < WEBP_HEADER || text(file, 0) !== 'RIFF' || text(file, 8) !== 'WEBP') return null;
  const chunks = readChunks(file);
  if (chunks === null) return null;
  const imageData = chunks.get('VP8 ') ?? chunks.get('VP8L');
  if (!imageData) return null;
  const extended = chunks.get('VP8X');
  const alpha = chunks.has('VP8 ') ? chunks.get('ALPH') : undefined;
  const profile = profileOf(chunks);
  if (!extended || extended.length !== WEBP_CHUNK_HEADER + 10) return alpha ? null : join([imageData]);
  const header = Buffer.from(extended);
  const [flags = 0] = header.subarray(WEBP_CHUNK_HEADER);
  header[WEBP_CHUNK_HEADER] = (flags & VP8X.alpha) | (profile ? VP8X.profile : 0);
  return join([header, ...(profile ? [profile] : []), ...(alpha ? [alpha] : []), imageData]);
}

/** Position, dimensions, duration and flags of an `ANMF` chunk (RFC 9649 section 2.7.1.1). */
const FRAME_HEADER = 16;

export interface FirstFrame {
  /** The frame as a still image. */
  readonly bytes: Uint8Array;
  /** The size of the canvas, in pixels. */
  readonly canvas: { readonly width: number; readonly height: number };
  /** The frame's place on the canvas. */
  readonly frame: WebpPlace;
}

/**
 * Returns the first frame as a still image, because Bun doesn't decode animations; null if the bytes aren't an
 * animation.
 */
export function firstFrame(bytes: Uint8Array): FirstFrame | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = readChunks(file, WEBP_HEADER, 'ANMF');
  if (chunks === null) return null;
  const [extended, frame] = [chunks.get('VP8X'), chunks.get('ANMF')];
  const inner = frame && readChunks(frame, WEBP_CHUNK_HEADER + FRAME_HEADER);
  const imageData = inner?.get('VP8 ') ?? inner?.get('VP8L');
  if (!extended || extended.length !== WEBP_CHUNK_HEADER + 10 || !frame || !imageData) return null;
  const canvas = readWebpFrame('VP8X', ForwardReader.over(extended));
  if (canvas === null) return null;
  const found = { canvas, frame: readWebpPlace(ForwardReader.over(frame)) };
  const profile = profileOf(chunks);
  const alpha = inner?.has('VP8 ') ? inner.get('ALPH') : undefined;
  if (!alpha && !profile) return { bytes: join([imageData]), ...found };
  const header = Buffer.from('VP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1');
  const isTransparent = alpha !== undefined || hasAlpha(imageData);
  header[WEBP_CHUNK_HEADER] = (isTransparent ? VP8X.alpha : 0) | (profile ? VP8X.profile : 0);
  frame.copy(header, WEBP_CHUNK_HEADER + 4, WEBP_CHUNK_HEADER + 6, WEBP_CHUNK_HEADER + 12);
  return { bytes: join([header, ...(profile ? [profile] : []), ...(alpha ? [alpha] : []), imageData]), ...found };
}

const hasAlpha = (imageData: Buffer): boolean =>
  ((readWebpFrame(text(imageData, 0), ForwardReader.over(imageData))?.flags ?? 0) & VP8X.alpha) !== 0;

/**
 * Returns the chunks with their headers; null if one extends past the end of the bytes.
 *
 * @param last the chunk type after which reading stops
 */
function readChunks(file: Buffer, start = WEBP_HEADER, last = ''): ReadonlyMap<string, Buffer> | null {
  const chunks = new Map<string, Buffer>();
  const reader = ForwardReader.over(file);
  reader.skip(start);
  for (const chunk of webpChunks(reader, file.length)) {
    if (typeof chunk === 'number') return null;
    const { type, at, length } = chunk;
    const end = at + WEBP_CHUNK_HEADER + length;
    if (end > file.length) return null;
    if (!chunks.has(type)) chunks.set(type, file.subarray(at, end));
    if (type === last) break;
  }
  return chunks;
}

/** Returns the profile. A profile that the header doesn't declare counts as missing, because readers ignore it. */
function profileOf(chunks: ReadonlyMap<string, Buffer>): Buffer | null {
  const flags = chunks.get('VP8X')?.at(WEBP_CHUNK_HEADER) ?? 0;
  const chunk = (flags & VP8X.profile) === 0 ? undefined : chunks.get('ICCP');
  if (!chunk || chunk.length > WEBP_CHUNK_HEADER + MAX_PROFILE) return null;
  const at = WEBP_CHUNK_HEADER + COLOUR_SPACE;
  return chunk.length >= at + RGB.length && text(chunk, at) === RGB ? chunk : null;
}

function join(chunks: readonly Buffer[]): Uint8Array {
  const even = chunks.flatMap((chunk) => (chunk.length % 2 === 0 ? [chunk] : [chunk, Buffer.alloc(1)]));
  const content = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...even]);
  const header = Buffer.from('RIFF\0\0\0\0', 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

const text = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);
