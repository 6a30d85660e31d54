import type { ByteSource } from '@postshelf/domain';

/** The bytes, then a pattern again and again, up to the size: gigabytes that need no memory. */
export function endless(start: Uint8Array, pattern: Uint8Array, size = 2 * 1024 ** 3): ByteSource {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
    const inStart = Math.min(Math.max(0, start.length - offset), bytes.length);
    bytes.set(start.subarray(offset, offset + inStart));
    const into = (offset + inStart - start.length) % pattern.length;
    const rotated = Buffer.concat([pattern.subarray(into), pattern.subarray(0, into)]);
    if (inStart < bytes.length) bytes.fill(rotated, inStart);
    return bytes;
  };
  return { size, read };
}

/** Most bytes that an inspection may read of any file. */
export const READ_BUDGET = 66 * 1024 * 1024;

/** The source, and a count of the bytes that were read from it. */
export function counted(source: ByteSource): { readonly source: ByteSource; readonly bytes: () => number } {
  let bytes = 0;
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const piece = await source.read(offset, length);
    bytes += piece.length;
    return piece;
  };
  return { source: { ...source, read }, bytes: () => bytes };
}
