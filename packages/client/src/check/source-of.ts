import type { ByteSource } from '@postshelf/domain';

/** Reads a file on demand, so that even a video of 2 GB needs little memory. */
export const sourceOf = (file: Blob): ByteSource => ({
  size: file.size,
  read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
});
