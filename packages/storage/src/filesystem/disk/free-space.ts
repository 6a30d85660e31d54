import { statfsSync, statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { type FreeSpace, Refusal, reserveFor } from '@postshelf/domain';
import { translateError, translateErrors } from './failures.ts';

/** Bytes that are set aside for a body in advance: at first, and each time after. */
const WINDOW = { first: 1024 * 1024, next: 8 * 1024 * 1024 } as const;

/** Bytes set aside in this process that aren't written yet, by device, as several paths may lead to one disk. */
const setAside = new Map<number, number>();

/** Bytes set aside since the process began that no longer are: they may have been written. */
let spent = 0;

/** Milliseconds for which a measurement is used again: what this process writes meanwhile is known. */
const FRESH_TIME = 100;

/** Bytes beyond what is asked for that others are taken not to write within {@link FRESH_TIME}. */
const PLENTY = 256 * 1024 * 1024;

interface Measurement {
  readonly free: number;
  readonly device: number;
  /** By `performance.now`. */
  readonly at: number;
  /** The value of {@link spent} at that time. */
  readonly spent: number;
}

/**
 * The free space of a disk, less what has to stay free for the database, the log and the system.
 *
 * @param path somewhere on the disk
 * @param minFree bytes; 0 never refuses: a full disk is then noticed by failing writes
 */
export function diskFreeSpace(path: string, minFree: number): FreeSpace {
  let last: Measurement | null = null;
  const measure = (): Promise<Measurement> =>
    translateErrors(async () => {
      const begun = { at: performance.now(), spent };
      const [{ bavail, bsize }, { dev }] = await Promise.all([statfs(path), stat(path)]);
      last = { free: bavail * bsize, device: dev, ...begun };
      return last;
    });
  const fits = (found: Measurement, bytes: number): boolean => left(found) - bytes >= minFree;
  const isFresh = (found: Measurement): boolean => performance.now() - found.at < FRESH_TIME;
  return {
    free: async () => (await measure()).free,
    has: async (bytes) => minFree === 0 || fits(await measure(), bytes),
    async reserve(bytes) {
      if (minFree === 0) return () => undefined;
      const found = last && isFresh(last) && fits(last, bytes) ? last : await measure();
      // No await from here to the end, so nobody else reserves in between.
      if (!fits(found, bytes)) throw new Refusal({ code: 'storage_low' });
      return add(found.device, bytes);
    },
    require(purpose, bytes) {
      const reserve = reserveFor(purpose, minFree);
      if (reserve === 0) return;
      // Of a disk that has plenty, an older measurement will do: what others write meanwhile is far less.
      if (last && isFresh(last) && left(last) - bytes >= reserve + PLENTY) return;
      last = measureNow(path);
      if (left(last) - bytes < reserve) throw new Refusal({ code: 'storage_low' });
    },
  };
}

/** Bytes that are free now, by a measurement, and not set aside. */
const left = (found: Measurement): number => found.free - (spent - found.spent) - (setAside.get(found.device) ?? 0);

/** On this thread. @throws Refusal `unavailable` */
function measureNow(path: string): Measurement {
  try {
    const { bavail, bsize } = statfsSync(path);
    return { free: bavail * bsize, device: statSync(path).dev, at: performance.now(), spent };
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
 * Passes a body on as long as the disk has space for it. Space is set aside in advance, a few megabytes at a time, so
 * that of a thousand concurrent bodies none takes what was promised to another.
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
        // The bytes that were set aside are written by now, and so count as used.
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
