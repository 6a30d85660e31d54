import { statfsSync, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { type FreeSpace, Refusal, reserveFor } from '@postshelf/domain';
import { translateError, translateErrors } from './failures.ts';

/** Bytes that a body has set aside for what comes next: the first ones, and from then on. */
const WINDOW = { first: 1024 * 1024, next: 8 * 1024 * 1024 } as const;

/** Bytes set aside in this process that aren't written yet, by device: a disk is one, whatever path leads to it. */
const setAside = new Map<number, number>();

/** Bytes that were set aside in this process since it began, and are no more: they may have been written. */
let spent = 0;

/** Milliseconds for which a look serves small files too: what this process writes meanwhile is known. */
const LOOK_TIME = 100;

interface Look {
  readonly free: number;
  readonly device: number;
  /** By `performance.now`. */
  readonly at: number;
  /** As of {@link spent}. */
  readonly spent: number;
}

/**
 * All of a disk but what is to stay free for the database, the log and the system itself.
 *
 * @param path somewhere on the disk
 * @param minFree bytes; 0 never refuses: a full disk is then found by writing
 */
export function diskFreeSpace(path: string, minFree: number): FreeSpace {
  let last: Look | null = null;
  const look = (): Promise<Look> =>
    translateErrors(async () => {
      const begun = { at: performance.now(), spent };
      const [{ bavail, bsize }, { dev }] = await Promise.all([statfs(path), stat(path)]);
      last = { free: bavail * bsize, device: dev, ...begun };
      return last;
    });
  const fits = (found: Look, bytes: number): boolean =>
    found.free - (spent - found.spent) - (setAside.get(found.device) ?? 0) - bytes >= minFree;
  const isFresh = (found: Look): boolean => performance.now() - found.at < LOOK_TIME;
  return {
    free: async () => (await look()).free,
    has: async (bytes) => minFree === 0 || fits(await look(), bytes),
    async reserve(bytes) {
      if (minFree === 0) return () => undefined;
      const found = last && isFresh(last) && fits(last, bytes) ? last : await look();
      // From here to the end nobody else asks.
      if (!fits(found, bytes)) throw new Refusal({ code: 'storage_low' });
      return add(found.device, bytes);
    },
    require(purpose, bytes) {
      const reserve = reserveFor(purpose, minFree);
      if (reserve === 0) return;
      if (freeNow(path) - bytes < reserve) throw new Refusal({ code: 'storage_low' });
    },
  };
}

/** Bytes that are free and not set aside. */
function freeNow(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize - (setAside.get(statSync(path).dev) ?? 0);
  } catch (error) {
    throw translateError(error);
  }
}

function add(device: number, bytes: number): () => void {
  setAside.set(device, (setAside.get(device) ?? 0) + bytes);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    spent += bytes;
    const left = (setAside.get(device) ?? bytes) - bytes;
    if (left > 0) setAside.set(device, left);
    else setAside.delete(device);
  };
}

/** @throws Refusal `storage_low` */
export async function requireFreeSpace(space: FreeSpace, bytes: number): Promise<void> {
  if (!(await space.has(bytes))) throw new Refusal({ code: 'storage_low' });
}

/**
 * The same body as long as the disk has space for it, which is set aside before it comes, a few megabytes at a time: of
 * a thousand bodies at once none writes what another one was promised.
 *
 * @throws Refusal `storage_low`
 */
export async function* whileSpaceIsFree(
  space: Pick<FreeSpace, 'reserve'>,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left: number = WINDOW.first;
  let giveBack = await space.reserve(left);
  try {
    for await (const chunk of body) {
      if (chunk.byteLength > left) {
        // What was set aside is written, and so no longer free.
        giveBack();
        left = Math.max(WINDOW.next, chunk.byteLength);
        giveBack = await space.reserve(left);
      }
      left -= chunk.byteLength;
      yield chunk;
    }
  } finally {
    giveBack();
  }
}
