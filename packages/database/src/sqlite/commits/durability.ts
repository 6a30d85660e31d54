import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds: by then a commit is durable, or its write was refused. */
const MAX_SYNC_TIME = 60_000;

/** More than a small request takes from its token to its row. */
const MICROTASKS = 12;

/**
 * Syncs the log if something was committed since, and knows the version of what reads can see, which changes with every
 * commit of any other connection (sqlite.org/pragma.html#pragma_data_version).
 */
export class Durability {
  /** Everything up to this version is durable. */
  #synced: unknown = null;
  #known: unknown;
  #left = 0;
  readonly #read: () => unknown;

  /** @param database a connection that is never written with */
  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    database: Database,
  ) {
    const pragma = database.prepare('pragma data_version').pluck();
    this.#read = () => translateErrors(() => pragma.get());
  }

  /**
   * The version that was looked up by the same run of microtasks, which no request can come between: each look takes a
   * tenth of a small request.
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

  /** Called once this process has read over another connection, or committed: either may be newer than what is known. */
  forget(): void {
    this.#known = undefined;
  }

  readonly #wait = (): void => {
    this.#left -= 1;
    if (this.#left > 0) queueMicrotask(this.#wait);
    else this.#known = undefined;
  };

  /** As of `Store`. */
  settled(changedAt = Date.now()): Promise<void> | null {
    if (Date.now() - changedAt >= MAX_SYNC_TIME) return null;
    const version = this.current();
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}
