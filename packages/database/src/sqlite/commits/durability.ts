import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds after which a change is durable, or its write has failed. */
const MAX_SYNC_TIME = 60_000;

/**
 * Milliseconds for which a known version is used again. A client that has learned of a later commit by another process
 * needs longer to send a request.
 */
const MAX_REUSE = 0.1;

/**
 * Syncs the log if something was committed since the last sync, and tracks the version of the data that reads can see.
 * Every commit of any other connection changes this version (sqlite.org/pragma.html#pragma_data_version).
 */
export class Durability {
  /** The version up to which everything is durable. */
  #synced: unknown = null;
  #known: unknown;
  #readAt = 0;
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
   * Returns the version of the data that reads see. It is used again for {@link MAX_REUSE} in a turn of the event loop,
   * because reading it takes system calls, and a request for an item needs it three times: that was a quarter of the
   * request's time. A turn may take longer if other processes use the processor, and then end with a request on a
   * connection that was accepted meanwhile.
   */
  version(): unknown {
    const now = performance.now();
    if (this.#known !== undefined && now - this.#readAt <= MAX_REUSE) return this.#known;
    const version = this.#readVersion();
    if (this.#known === undefined) setImmediate(this.clearVersion);
    this.#known = version;
    this.#readAt = now;
    return version;
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
