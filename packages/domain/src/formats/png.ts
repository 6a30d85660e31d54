import type { ForwardReader } from './forward-reader.ts';
import type { Walk } from './walk.ts';

export const PNG_SIGNATURE = 8;
/** Length and type before the data of a chunk, CRC after it (PNG, section 5.3). */
export const PNG_CHUNK_HEADER = 8;
export const CRC_LENGTH = 4;

export interface PngChunk {
  readonly type: string;
  /** The offset of its length field. */
  readonly at: number;
  readonly length: number;
}

/** From after the signature; not only up to `IEND`. */
export function* pngChunks(reader: ForwardReader): Walk<PngChunk> {
  for (;;) {
    if (!reader.has(PNG_CHUNK_HEADER)) yield PNG_CHUNK_HEADER;
    const { position: at } = reader;
    const length = reader.uint32();
    yield { type: reader.type(4), at, length };
    reader.skipTo(at + PNG_CHUNK_HEADER + length + CRC_LENGTH);
  }
}
