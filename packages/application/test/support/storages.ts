import { LimitExceeded, type ObjectStorage, Refusal, type StagedObject, UnusableName } from '@postshelf/domain';
import { bodyOf } from './objects.ts';
import { replacing } from './world.ts';

/** Returns a storage whose staged objects are changed before the caller gets them; `index` counts from 0. */
export function changingStaged(
  storage: ObjectStorage,
  change: (object: StagedObject, index: number) => StagedObject,
): ObjectStorage {
  let index = -1;
  return replacing(storage, {
    stage: async (body, options) => {
      const object = await storage.stage(body, options);
      index += 1;
      return change(object, index);
    },
  });
}

/** Returns a staged object of a storage whose file system can't have its name. */
export const withUnusableName = (object: StagedObject): StagedObject =>
  replacing(object, { publish: (key) => Promise.reject(new UnusableName(key.replace(/.*\//, ''))) });

/** Returns a storage that is unavailable to everyone who reads an object. */
export function unreachable(storage: ObjectStorage): ObjectStorage {
  const refusal = new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' });
  return replacing(storage, { open: () => Promise.reject(refusal) });
}

/** Number of bytes of an object that are stored: enough to recognise its type. */
const HEAD = 1024;

/**
 * Returns a storage that counts all bytes of an object but stores only the first {@link HEAD}, so that a test may send
 * gigabytes.
 */
export function keepingHeads(storage: ObjectStorage): ObjectStorage {
  return replacing(storage, {
    async stage(body, { limit }) {
      const head: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body) {
        if (size < HEAD) head.push(chunk.subarray(0, HEAD));
        size += chunk.length;
        if (size > limit) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      }
      return replacing(await storage.stage(bodyOf(...head), { limit: size }), { size });
    },
  });
}

const MIB = new Uint8Array(1024 * 1024);

/** Yields a body of `size` bytes that begins with `head`. The body is generated while it is read. */
export async function* longBody(head: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  yield head;
  for (let left = size - head.length; left > 0; left -= MIB.length) {
    yield left < MIB.length ? MIB.subarray(0, left) : MIB;
  }
}
