import type { ByteSource } from '@postshelf/domain';

/** On demand, so that even a film of 2 GB takes little memory. */
export const sourceOf = (file: Blob): ByteSource => ({
  size: file.size,
  read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
});
