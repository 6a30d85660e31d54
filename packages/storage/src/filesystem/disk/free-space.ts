import { statfs } from 'node:fs/promises';
import { Refusal } from '@postshelf/domain';
import { translateErrors } from './failures.ts';

/** Bytes received between two checks of the disk; ten bodies at once overrun the limit by 80 MB at most. */
const CHECK_INTERVAL = 8 * 1024 * 1024;

/** How much of a disk may still be written. Methods throw Refusal `unavailable` when the disk can't be asked. */
export interface FreeSpace {
  /** Bytes free on the disk, those included that are to stay so. */
  free(): Promise<number>;
  /** Whether so many more bytes may be written. */
  has(bytes: number): Promise<boolean>;
}

/**
 * All of a disk but what is to stay free for the database, the log and the system itself.
 *
 * @param path somewhere on the disk
 * @param minFree bytes; 0 never refuses: a full disk is then found by writing
 */
export function diskFreeSpace(path: string, minFree: number): FreeSpace {
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await translateErrors(() => statfs(path));
    return bavail * bsize;
  };
  return { free, has: async (bytes) => minFree === 0 || (await free()) - bytes >= minFree };
}

/** @throws Refusal `storage_low` */
export async function requireFreeSpace(space: FreeSpace, bytes: number): Promise<void> {
  if (!(await space.has(bytes))) throw new Refusal({ code: 'storage_low' });
}

/**
 * The same body as long as the disk has space for it; asks before the first chunk and every few megabytes.
 *
 * @throws Refusal `storage_low`
 */
export async function* whileSpaceIsFree(space: FreeSpace, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unchecked = CHECK_INTERVAL;
  for await (const chunk of body) {
    unchecked += chunk.byteLength;
    if (unchecked >= CHECK_INTERVAL) {
      await requireFreeSpace(space, chunk.byteLength);
      unchecked = 0;
    }
    yield chunk;
  }
}
