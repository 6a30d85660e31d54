import type { ByteSource } from '../objects/object-storage.ts';

/** Bytes that overwrite a range of a file, or a single byte with which a range is filled. */
export type Patch =
  | { readonly offset: number; readonly bytes: Uint8Array }
  | { readonly offset: number; readonly length: number; readonly fill: number };

export const lengthOf = (patch: Patch): number => ('bytes' in patch ? patch.bytes.length : patch.length);

/** Bytes per read. Reads are large because, with an S3 bucket, each one is a request. */
const PIECE = 2 * 1024 * 1024;

/**
 * Iterates the source's bytes with the patches applied.
 *
 * @param patches in the order of their offsets, without overlaps
 * @throws Error if the source ends before its declared size; whatever the source throws
 */
export async function* patched(
  source: ByteSource,
  patches: readonly Patch[],
  pieceLength: number = PIECE,
): AsyncGenerator<Uint8Array> {
  let next = 0;
  for (let offset = 0; offset < source.size; ) {
    const read = await source.read(offset, Math.min(pieceLength, source.size - offset));
    if (read.length === 0) throw new Error(`The source ends at ${offset} of ${source.size} bytes.`);
    const end = offset + read.length;
    // The patches are applied to a copy, because the memory may belong to the source.
    const piece = new Uint8Array(read);
    for (let patch = patches[next]; patch && patch.offset < end; patch = patches[next]) {
      apply(patch, piece, offset);
      if (patch.offset + lengthOf(patch) > end) break;
      next += 1;
    }
    yield piece;
    offset = end;
  }
}

function apply(patch: Patch, piece: Uint8Array, at: number): void {
  const start = Math.max(0, patch.offset - at);
  const end = Math.min(piece.length, patch.offset + lengthOf(patch) - at);
  if ('fill' in patch) piece.fill(patch.fill, start, end);
  else piece.set(patch.bytes.subarray(start + at - patch.offset, end + at - patch.offset), start);
}
