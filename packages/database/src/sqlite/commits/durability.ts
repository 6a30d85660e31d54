import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds after which a commit is durable, or its write was refused. */
const MAX_SYNC_TIME = 60_000;

/** Number of microtasks, more than a small request takes from its token to its row. */
const MICROTASKS = 12;

/**
 * Syncs the log if something was committed since the last sync, and tracks the version of the data that reads can see.
 * Every commit of any other connection changes it (sqlite.org/pragma.html#pragma_data_version).
 */
export class Durability {
  /** The version up to which everything is durable. */
  #synced: unknown = null;
  #known: unknown;
  #left = 0;
  readonly #read: () => unknown;

  /** @param database a connection that never writes */
  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    database: Database,
  ) {
    const pragma = database.prepare('pragma data_version').pluck();
    this.#read = () => translateErrors(() => pragma.get());
  }

  /**
   * Returns the version that the same run of microtasks has already read. No request can come in between, and each
   * query for the version takes a tenth of a small request.
   */
  current(): unknown {
    return this.#known ?? this.look();
  }

  look(): unknown {
    this.#known = this.#read();
    if (this.#left === 0) queueMicrotask(this.#wait);
    this.#left = MICROTASKS;
    return this.#known;
  }

  /**
   * Must be called after this process has read over another connection, or committed: either may be newer than the
   * known version.
   */
  forget(): void {
    this.#known = undefined;
  }

  readonly #wait = (): void => {
    this.#left -= 1;
    if (this.#left > 0) queueMicrotask(this.#wait);
    else this.#known = undefined;
  };

  /** See `Store`. */
  settled(changedAt = Date.now()): Promise<void> | null {
    if (Date.now() - changedAt >= MAX_SYNC_TIME) return null;
    const version = this.current();
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}
