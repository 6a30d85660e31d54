import { Refusal, type Uuid } from '@postshelf/domain';
import type { Store } from './store.ts';

/** Who wants the answer of a scan. */
export interface ScanCaller {
  /** The workspace whose share of scans it takes. */
  readonly workspaceId: Uuid;
  /** Aborted when nobody wants the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

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

/** What a scan reads from, wherever it runs. */
export interface ScanStore extends Pick<Store, 'reads' | 'snapshot' | 'pull' | 'dialect'> {
  /** To be called between two queries of a scan that has many: throws where nobody wants the answer any more. */
  requireWanted(): void;
  /** Told how much memory a scan has read into and left, where it is that of the thread that serves requests. Bytes. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reading whose cost grows with the rows of a workspace. Where the database is within this process it runs in a thread of
 * its own, which knows it by its name; what goes in and comes out is copied, so it is plain data, and not much.
 */
export interface Scan<Parameters extends readonly unknown[], Result> {
  readonly name: string;
  run(store: ScanStore, ...parameters: Parameters): Promise<Result>;
}

/** What a scan ends with that nobody wants any more. */
export const givenUp = (): Refusal =>
  new Refusal({ code: 'malformed', message: 'The request was given up before it was answered.' });
