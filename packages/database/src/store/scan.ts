import { Refusal } from '@postshelf/domain';
import type { ScanCaller } from './store.ts';

/**
 * Takes one of the slots that scans share, and waits for one.
 *
 * @returns what gives it back; a repeat does nothing
 * @throws Refusal `busy`; also where the caller is gone
 */
export type TakeScanSlot = (caller: ScanCaller) => Promise<() => void>;

/** How many scans a database runs at once, and who is next. */
export interface ScanQueue {
  /** More of them wait. */
  readonly maxScans: number;
  /** Has every scan take a slot before it begins. Until then any number may come, and they wait in one line. */
  shareScans(takeSlot: TakeScanSlot): void;
}

/** The slots that scans take, as of {@link ScanQueue}. */
export class ScanSlots {
  #take: TakeScanSlot = async () => () => undefined;

  share(take: TakeScanSlot): void {
    this.#take = take;
  }

  /** Runs a scan with a slot, which is given back whatever becomes of it. */
  async run<T>(caller: ScanCaller, scan: () => Promise<T>): Promise<T> {
    const giveBack = await this.#take(caller);
    try {
      return await scan();
    } finally {
      giveBack();
    }
  }
}

/** What a scan ends with that nobody wants any more. */
export const givenUp = (): Refusal =>
  new Refusal({ code: 'malformed', message: 'The request was given up before it was answered.' });
