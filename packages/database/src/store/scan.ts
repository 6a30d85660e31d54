import { Refusal } from '@postshelf/domain';
import type { ScanCaller } from './store.ts';

/**
 * Takes one of the slots that scans share, or waits for one.
 *
 * @returns gives it back; a repeat does nothing
 * @throws Refusal `busy`; also where the caller is gone
 */
export type TakeScanSlot = (caller: ScanCaller) => Promise<() => void>;

/** How many scans a database runs at once, and who is next. */
export interface ScanQueue {
  /** Further ones wait. */
  readonly maxScans: number;
  /**
   * Makes every scan take a slot before it begins. Until this is called any number may start, and they wait in one
   * line.
   */
  shareScans(takeSlot: TakeScanSlot): void;
}

/** The slots that scans take; see {@link ScanQueue}. */
export class ScanSlots {
  #take: TakeScanSlot = async () => () => undefined;

  share(take: TakeScanSlot): void {
    this.#take = take;
  }

  /** Runs a scan with a slot, which is given back in any case. */
  async run<T>(caller: ScanCaller, scan: () => Promise<T>): Promise<T> {
    const giveBack = await this.#take(caller);
    try {
      return await scan();
    } finally {
      giveBack();
    }
  }
}

/** The refusal that ends a scan which nobody waits for any more. */
export const givenUp = (): Refusal =>
  new Refusal({ code: 'malformed', message: 'The request was given up before it was answered.' });
