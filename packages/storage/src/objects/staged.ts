import { isObjectKey, type StagedObject } from '@postshelf/domain';

/** Staged bytes as a backend keeps them. Calls are checked by {@link staged}. */
export interface StagedBytes extends Pick<StagedObject, 'size' | 'sha256' | 'path' | 'read'> {
  /** Stores the bytes under an object's key, atomically and durably. Returns false if the key has an object. */
  publish(key: string, mime?: string): Promise<boolean>;
  /** Like {@link publish}, but replaces an object, atomically. */
  replace(key: string, mime?: string): Promise<void>;
  /** Removes what is still staged. Called once. */
  drop(): Promise<void>;
}

/** Makes a staged object of a backend's bytes: checks keys and ranges, and that the bytes are published once. */
export function staged(bytes: StagedBytes): StagedObject {
  const { size, sha256, path } = bytes;
  let state: 'staged' | 'published' | 'discarded' = 'staged';
  const putOnce = async (key: string, put: () => Promise<void>): Promise<void> => {
    requireObjectKey(key);
    if (state !== 'staged') throw new Error(`These bytes were ${state} already.`);
    state = 'published';
    try {
      await put();
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
    publish: (key, mime) =>
      putOnce(key, async () => {
        if (!(await bytes.publish(key, mime))) throw new Error('An object with this key exists already.');
      }),
    replace: (key, mime) => putOnce(key, () => bytes.replace(key, mime)),
    async discard() {
      if (state === 'discarded') return;
      state = 'discarded';
      await bytes.drop();
    },
  };
}

/** @throws Error for an invalid key */
export function requireObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new Error('Not the key of an object: {workspace}/{id}/{name} expected.');
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
