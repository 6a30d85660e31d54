import { stat, statfs } from 'node:fs/promises';
import { type FreeSpace, Refusal } from '@postshelf/domain';
import { translateErrors } from './failures.ts';

/** Number of bytes to reserve for a body: `first` before its first byte, `next` whenever the reservation is used up. */
const WINDOW = { first: 1024 * 1024, next: 8 * 1024 * 1024 } as const;

/** Bytes that this process has reserved but not written yet, by device. */
const reserved = new Map<number, number>();

/**
 * The sum of all reservations that were released, in bytes. Measurements made before a release must assume that its
 * bytes were written.
 */
let spent = 0;

/**
 * Milliseconds for which a measurement counts as fresh. Bytes that this process writes in that time are accounted for.
 */
const FRESH_TIME = 100;

/**
 * Free bytes that a fresh measurement must have left over to be reused. Other processes are assumed to write less than
 * this within {@link FRESH_TIME}.
 */
const PLENTY = 256 * 1024 * 1024;

interface Measurement {
  readonly free: number;
  readonly device: number;
  readonly at: number;
  readonly spent: number;
}

/**
 * Checks and reserves free disk space while keeping some of it free.
 *
 * @param path any path on the disk
 * @param minFree bytes to leave free; 0 disables the checks
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
  /**
   * Returns a measurement that leaves room for the bytes, or null. Reuses a recent measurement if it showed plenty of
   * space.
   */
  const find = async (bytes: number): Promise<Measurement | null> => {
    const isFresh = last !== null && performance.now() - last.at < FRESH_TIME;
    const found = last && isFresh && fits(last, bytes + PLENTY) ? last : await measure();
    return fits(found, bytes) ? found : null;
  };
  return {
    free: async () => (await measure()).free,
    has: async (bytes) => minFree === 0 || (await find(bytes)) !== null,
    async reserve(bytes) {
      if (minFree === 0) return () => undefined;
      const found = await find(bytes);
      // Another caller may have reserved space in the meantime.
      if (!found || !fits(found, bytes)) throw new Refusal({ code: 'storage_low' });
      return add(found.device, bytes);
    },
  };
}

const left = (found: Measurement): number => found.free - (spent - found.spent) - (reserved.get(found.device) ?? 0);

function add(device: number, bytes: number): () => void {
  reserved.set(device, (reserved.get(device) ?? 0) + bytes);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    spent += bytes;
    const left = (reserved.get(device) ?? bytes) - bytes;
    if (left > 0) reserved.set(device, left);
    else reserved.delete(device);
  };
}

/** @throws Refusal `storage_low` when the bytes don't fit */
export async function requireFreeSpace(space: FreeSpace, bytes: number): Promise<void> {
  if (!(await space.has(bytes))) throw new Refusal({ code: 'storage_low' });
}

/**
 * Passes on a body as long as the disk has space. Space is reserved a few megabytes at a time, because other callers
 * and programs write to the same disk.
 *
 * @throws Refusal `storage_low`
 */
export async function* whileSpaceIsFree(
  space: Pick<FreeSpace, 'reserve'>,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left: number = WINDOW.first;
  let release = await space.reserve(left);
  try {
    for await (const chunk of body) {
      if (chunk.byteLength > left) {
        // These bytes are written by now, so they count as used.
        release();
        left = Math.max(WINDOW.next, chunk.byteLength);
        release = await space.reserve(left);
      }
      left -= chunk.byteLength;
      yield chunk;
    }
  } finally {
    release();
  }
}
