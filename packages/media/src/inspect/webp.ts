import { Damaged, Unreadable } from './bounded-reader.ts';
import type { WalkedImage } from './dimensions.ts';
import type { ForwardReader } from './forward-reader.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const FILE_HEADER_LENGTH = 12;
const CHUNK_HEADER_LENGTH = 8;

/** A chunk's type as the number of its four bytes. */
const numberOf = (type: string): number => Buffer.from(type, 'latin1').readUInt32BE();
const LOSSY = numberOf('VP8 ');
const LOSSLESS = numberOf('VP8L');
const EXTENDED = numberOf('VP8X');
const FRAME = numberOf('ANMF');
const EXIF = numberOf('EXIF');

/** How many bytes of the chunks with dimensions contain them (RFC 9649 sections 2.5 to 2.7). */
const SIZE_LENGTHS: ReadonlyMap<number, number> = new Map([
  [LOSSY, 10],
  [LOSSLESS, 5],
  [EXTENDED, 10],
]);

/** The flag in VP8X, and the bit after the dimensions in VP8L. */
const HAS_ALPHA = 0x10;
const IS_ANIMATED = 0x02;

/** Most bytes of an EXIF block that are read; the orientation is near its beginning. */
const MAX_EXIF_LENGTH = 1024 * 1024;
const MIN_EXIF_LENGTH = 4;

/** Most chunks with dimensions that are kept. A valid WebP has two at most, of which the first counts. */
const MAX_KEPT = 16;

/** Most chunks, and zeros between them: enough for a day at 10 pictures a second. */
const MAX_STEPS = 2_000_000;

/**
 * Walks the chunks of a WebP up to the end of its RIFF, which must contain them; reads their contents only if needed.
 * Keeps chunks with dimensions up to the first EXIF block, and that block. A file without dimensions isn't a WebP.
 */
export async function walkWebp(reader: ForwardReader): Promise<WalkedImage> {
  if (!(await reader.reaches(FILE_HEADER_LENGTH))) throw new Unreadable('The WebP has no header.');
  const end = reader.uint32LittleEndian(4) + CHUNK_HEADER_LENGTH;
  reader.skip(FILE_HEADER_LENGTH);
  const kept = new KeptChunks();
  try {
    await walkChunks(reader, end, kept);
    if (end > reader.size) throw new Damaged('The WebP is longer than the file.');
    if (!kept.hasPicture) throw new Damaged('The WebP has no image data.');
  } catch (error) {
    if (error instanceof Damaged && kept.isEmpty) throw new Unreadable('The WebP has no dimensions.', { cause: error });
    throw error;
  }
  return kept.toImage();
}

async function walkChunks(reader: ForwardReader, end: number, kept: KeptChunks): Promise<void> {
  // Fewer bytes than a header at the end are padding.
  for (let steps = 0; reader.position + CHUNK_HEADER_LENGTH <= end; steps += 1) {
    if (steps > MAX_STEPS) throw new Unreadable('The WebP has too many chunks.');
    if (!reader.has(1)) await reader.fill(1);
    // Some files have zeros between chunks.
    if (reader.byte() === 0) {
      reader.skip(1);
      continue;
    }
    if (!reader.has(CHUNK_HEADER_LENGTH)) await reader.fill(CHUNK_HEADER_LENGTH);
    const [type, length] = [reader.uint32(), reader.uint32LittleEndian(4)];
    const wanted = kept.wants(type, length);
    if (wanted > 0) {
      if (!reader.has(CHUNK_HEADER_LENGTH + wanted)) await reader.fill(CHUNK_HEADER_LENGTH + wanted);
      kept.keep(type, reader.bytes(wanted, CHUNK_HEADER_LENGTH));
    }
    reader.skip(CHUNK_HEADER_LENGTH + length);
    if (reader.position > end) throw new Damaged('A chunk is longer than the WebP.');
  }
}

/** The chunks that are kept, however many the file has. */
class KeptChunks {
  readonly #sized: Uint8Array[] = [];
  #exif: Uint8Array | null = null;
  #flags: number | null = null;
  #hasAlpha = false;
  #frames = 0;
  hasPicture = false;

  get isEmpty(): boolean {
    return this.#sized.length === 0;
  }

  /** How many bytes of a chunk's content are needed. Keeps a record of the chunk. */
  wants(type: number, length: number): number {
    if (type === FRAME) this.#frames += 1;
    this.hasPicture ||= type === FRAME || type === LOSSY || type === LOSSLESS;
    if (this.#exif !== null) return 0;
    if (type === EXIF && length >= MIN_EXIF_LENGTH) return Math.min(length, MAX_EXIF_LENGTH);
    const least = SIZE_LENGTHS.get(type) ?? 0;
    return length >= least && this.#sized.length < MAX_KEPT ? least : 0;
  }

  keep(type: number, content: Uint8Array): void {
    const copy = chunk(type, content);
    if (type === EXIF) {
      this.#exif = copy;
      return;
    }
    this.#sized.push(copy);
    if (type === EXTENDED) this.#flags ??= content[0] ?? 0;
    if (type === LOSSLESS) this.#hasAlpha ||= ((content[4] ?? 0) & HAS_ALPHA) !== 0;
  }

  toImage(): WalkedImage {
    const hasAlpha = this.#flags === null ? this.#hasAlpha : (this.#flags & HAS_ALPHA) !== 0;
    const isAnimated = this.#flags !== null && (this.#flags & IS_ANIMATED) !== 0;
    const image = webpOf(this.#exif ? [...this.#sized, this.#exif] : this.#sized);
    return { image, details: { frames: isAnimated ? Math.max(1, this.#frames) : 1, hasAlpha } };
  }
}

/** A WebP that contains only the orientation, in an EXIF block. */
export const webpOfExif = (exif: Uint8Array): Uint8Array =>
  webpOf([chunk(EXTENDED, new Uint8Array(10)), chunk(EXIF, exif)]);

const webpOf = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunk(numberOf('RIFF'), Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]));

function chunk(type: number, content: Uint8Array): Uint8Array {
  const header = Buffer.alloc(CHUNK_HEADER_LENGTH);
  header.writeUInt32BE(type);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}
