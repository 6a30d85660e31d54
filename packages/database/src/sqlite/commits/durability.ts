import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds after which a change is durable, or its write has failed. */
const MAX_SYNC_TIME = 60_000;

/**
 * Syncs the log if something was committed since the last sync, and tracks the version of the data that reads can see.
 * Every commit of any other connection changes this version (sqlite.org/pragma.html#pragma_data_version).
 */
export class Durability {
  /** The version up to which everything is durable. */
  #synced: unknown = null;
  #known: unknown;
  readonly #readVersion: () => unknown;

  /** @param database a connection that never writes */
  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    database: Database,
  ) {
    const pragma = database.prepare('pragma data_version').pluck();
    this.#readVersion = () => translateErrors(() => pragma.get());
  }

  /**
   * Returns the version of the data that reads see. It is read once in each turn of the event loop, because reading it
   * takes system calls, and a request for an item needs it three times: that was a quarter of the request's time. The
   * requests of a turn have arrived before it began, so their clients can't know of later commits by other processes.
   */
  version(): unknown {
    if (this.#known === undefined) {
      this.#known = this.#readVersion();
      setImmediate(this.clearVersion);
    }
    return this.#known;
  }

  /**
   * Must be called when this process has committed or has read rows, because these may be newer than the known version.
   */
  readonly clearVersion = (): void => {
    this.#known = undefined;
  };

  /** See `Store.settled`. */
  settled(changedAt = Date.now()): Promise<void> | null {
    if (Date.now() - changedAt >= MAX_SYNC_TIME) return null;
    const version = this.version();
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}
