import { createHash } from 'node:crypto';
import type { Digester } from '@postshelf/domain';

export const digest: Digester = async (body) => {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest('hex') };
};
