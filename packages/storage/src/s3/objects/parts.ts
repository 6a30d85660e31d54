import { LimitExceeded } from '@postshelf/domain';
import { SLICE as BLOCK_BYTES, type Pieces } from '../client/send-bytes.ts';

/** A part of a body. It is held in blocks, so that a slowly filled part takes little more memory than its bytes. */
export class Part implements Pieces {
  readonly #blocks: Uint8Array[] = [];
  /**
   * Number of used bytes in the last block. While there is none, this is the size of a full one, so that the next bytes
   * start a block.
   */
  #filled = BLOCK_BYTES;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  *pieces(): Generator<Uint8Array> {
    for (const [index, block] of this.#blocks.entries()) {
      yield index < this.#blocks.length - 1 ? block : block.subarray(0, this.#filled);
    }
  }

  add(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.byteLength; ) {
      if (this.#filled === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#filled = 0;
      }
      const piece = bytes.subarray(taken, taken + BLOCK_BYTES - this.#filled);
      this.#blocks.at(-1)?.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      taken += piece.byteLength;
    }
    this.#length += bytes.byteLength;
  }

  /** Frees the memory immediately. A reader that is left over from an aborted attempt then gets no bytes. */
  free(): void {
    for (const { buffer } of this.#blocks) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
    this.#blocks.length = 0;
    this.#filled = BLOCK_BYTES;
    this.#length = 0;
  }
}

/**
 * Splits a body into parts of `size` bytes; an empty body has one empty part. A part is yielded only when the next
 * part's first byte has arrived, or the body has ended. The caller must call {@link Part.free} for each.
 *
 * @throws LimitExceeded; any error of the body
 */
export async function* splitIntoParts(
  body: AsyncIterable<Uint8Array>,
  size: number,
  limit: number,
): AsyncGenerator<{ readonly part: Part; readonly isLast: boolean }> {
  let part = new Part();
  let total = 0;
  try {
    for await (const chunk of body) {
      if (chunk.byteLength > limit - total) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      total += chunk.byteLength;
      for (let start = 0; start < chunk.byteLength; ) {
        if (part.length === size) {
          const full = part;
          part = new Part();
          yield { part: full, isLast: false };
        }
        const piece = chunk.subarray(start, start + size - part.length);
        part.add(piece);
        start += piece.byteLength;
      }
    }
  } catch (error) {
    part.free();
    throw error;
  }
  yield { part, isLast: true };
}
