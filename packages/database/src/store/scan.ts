import { Refusal } from '@postshelf/domain';
import type { KyselyPlugin } from 'kysely';
import type { ScanCaller } from './store.ts';

/**
 * Takes one of the slots for scans, or waits for one.
 *
 * @returns a function that gives it back; repeated calls do nothing
 * @throws Refusal `busy` if too many wait, or once the caller's signal is aborted
 */
export type TakeScanSlot = (caller: ScanCaller) => Promise<() => void>;

export interface ScanQueue {
  readonly maxScans: number;
  /** Makes every scan take a slot first. Until then scans wait only for a thread or a connection. */
  shareScans(takeSlot: TakeScanSlot): void;
}

/** See {@link ScanQueue}. */
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

/** The caller no longer waits. */
export const scanCancelled = (): Refusal =>
  new Refusal({ code: 'malformed', message: 'The request was given up before it was answered.' });
