import { isObjectKey, type StagedObject } from '@postshelf/domain';
import type { PutOptions, StagedBytes } from '../key-store.ts';

/**
 * Turns a backend's bytes into a staged object, which checks keys and ranges, and that the bytes are published only
 * once.
 *
 * @param storedKey returns the key under which an object's bytes are replaced
 */
export function staged(
  bytes: StagedBytes,
  storedKey: (key: string) => Promise<string> = async (key) => key,
): StagedObject {
  const { size, sha256, path } = bytes;
  let state: 'staged' | 'published' | 'discarded' = 'staged';
  const put = async (key: string, options: PutOptions): Promise<void> => {
    requireObjectKey(key);
    if (state !== 'staged') throw new Error(`These bytes were ${state} already.`);
    state = 'published';
    try {
      if (!(await bytes.put(options.replaces ? await storedKey(key) : key, options)))
        throw new Error('An object with this key exists already.');
    } catch (error) {
      state = 'staged';
      throw error;
    }
  };
  return {
    size,
    sha256,
    ...(path !== undefined && { path }),
    async read(offset, length) {
      if (!isCount(offset) || !isCount(length))
        throw new RangeError('Offset and length must be whole numbers of at least 0.');
      return bytes.read(offset, Math.min(length, Math.max(0, size - offset)));
    },
    publish: (key, mime) => put(key, { replaces: false, ...(mime !== undefined && { mime }) }),
    replace: (key, mime) => put(key, { replaces: true, ...(mime !== undefined && { mime }) }),
    async discard() {
      if (state === 'discarded') return;
      state = 'discarded';
      await bytes.discard();
    },
  };
}

/** @throws Error for an invalid key */
export function requireObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
