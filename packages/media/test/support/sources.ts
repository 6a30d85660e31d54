import type { ByteSource } from '@postshelf/domain';

/**
 * Returns a source of the bytes, followed by a repeated pattern up to the size. This yields gigabytes that need no
 * memory.
 */
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

/** Maximum number of bytes that an inspection may read of any file. */
export const READ_BUDGET = 66 * 1024 * 1024;

/** Returns the source, and a function that returns the number of bytes that were read from it. */
export function counted(source: ByteSource): { readonly source: ByteSource; readonly bytes: () => number } {
  let bytes = 0;
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const piece = await source.read(offset, length);
    bytes += piece.length;
    return piece;
  };
  return { source: { ...source, read }, bytes: () => bytes };
}
