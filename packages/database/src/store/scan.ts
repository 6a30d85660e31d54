import { Refusal } from '@postshelf/domain';
import type { KyselyPlugin } from 'kysely';
import type { ScanCaller } from './store.ts';

/**
 * Takes one of the slots for scans, or waits for one.
 *
 * @returns a function that releases the slot; repeated calls do nothing
 * @throws Refusal `busy` if too many callers wait, or once the caller's signal is aborted
 */
export type TakeScanSlot = (caller: ScanCaller) => Promise<() => void>;

export interface ScanQueue {
  readonly maxScans: number;
  /** Makes every scan take a slot first. Until this is called, scans wait only for a thread or a connection. */
  shareScans(takeSlot: TakeScanSlot): void;
}

/** Runs scans in slots, see {@link ScanQueue}. */
export class ScanSlots {
  #take: TakeScanSlot = async () => () => undefined;

  share(take: TakeScanSlot): void {
    this.#take = take;
  }

  async run<T>(caller: ScanCaller, scan: () => Promise<T>): Promise<T> {
    const releaseSlot = await this.#take(caller);
    try {
      return await scan();
    } finally {
      releaseSlot();
    }
  }
}

/** Calls `require` before each query. */
export const beforeQueries = (require: () => void): KyselyPlugin => ({
  transformQuery({ node }) {
    require();
    return node;
  },
  transformResult: async ({ result }) => result,
});

/** Returns the error for a caller that no longer waits. */
export const scanCancelled = (): Refusal =>
  new Refusal({ code: 'malformed', message: 'The request was cancelled before it was answered.' });
