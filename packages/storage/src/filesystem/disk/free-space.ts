import { statfs } from 'node:fs/promises';
import { Refusal } from '@postshelf/domain';
import { reaching } from './failures.ts';

/** Bytes between two looks at the disk while a body is received: with ten bodies at once 80 MB, the most that is overrun. */
const LOOK_INTERVAL = 8 * 1024 * 1024;

/** The part of a disk that files may fill. Throws Refusal `unavailable` when the disk can't be asked. */
export interface Room {
  /** Bytes free on the disk, those included that are to stay so. */
  free(): Promise<number>;
  /** Whether so many more bytes may be written. */
  has(bytes: number): Promise<boolean>;
}

/**
 * All of a disk but what is to stay free for the database, the log and the system itself.
 *
 * @param path somewhere on the disk
 * @param minFree bytes; 0: there is always room, and writing finds out
 */
export function diskRoom(path: string, minFree: number): Room {
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await reaching(() => statfs(path));
    return bavail * bsize;
  };
  return { free, has: async (bytes) => minFree === 0 || (await free()) - bytes >= minFree };
}

/** @throws Refusal `storage_low` */
export async function requireRoom(room: Room, bytes: number): Promise<void> {
  if (!(await room.has(bytes))) throw new Refusal({ code: 'storage_low' });
}

/**
 * The same body as long as there is room for it; looks before the first chunk and every few megabytes.
 *
 * @throws Refusal `storage_low`
 */
export async function* whileThereIsRoom(room: Room, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unseen = LOOK_INTERVAL;
  for await (const chunk of body) {
    unseen += chunk.byteLength;
    if (unseen >= LOOK_INTERVAL) {
      await requireRoom(room, chunk.byteLength);
      unseen = 0;
    }
    yield chunk;
  }
}
