import type { Store } from '../store/store.ts';
import type { LogSync } from './log-sync.ts';
import type { SmallReads } from './small-reads.ts';

/** Milliseconds after which a commit's sync has ended: it is durable, or its write was refused. */
const MAX_SYNC_TIME = 60_000;

/** Tells whether what readers see is durable, and syncs the log if something was committed since it was synced. */
export class Durability implements Pick<Store, 'durable' | 'whenDurable' | 'whenRowDurable'> {
  /** The data version up to which everything is durable. */
  #synced: unknown = null;

  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    private readonly reads: Pick<SmallReads, 'dataVersion' | 'latest'>,
  ) {}

  async durable(): Promise<void> {
    await this.#upTo(this.reads.dataVersion());
  }

  whenDurable(changedAt: number): Promise<void> | null {
    return isSettled(changedAt) ? null : this.#upTo(this.reads.dataVersion());
  }

  whenRowDurable(changedAt: number): Promise<void> | null {
    return isSettled(changedAt) ? null : this.#upTo(this.reads.latest);
  }

  #upTo(version: unknown): Promise<void> | null {
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}

const isSettled = (changedAt: number): boolean => Date.now() - changedAt >= MAX_SYNC_TIME;
