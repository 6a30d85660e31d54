import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds: by then a commit is durable, or its write was refused. */
const MAX_SYNC_TIME = 60_000;

/** Syncs the log if something was committed since. */
export class Durability {
  /** Changes with every commit of any other connection (sqlite.org/pragma.html#pragma_data_version). */
  readonly dataVersion: () => unknown;
  /** Everything up to this version is durable. */
  #synced: unknown = null;
  #known: unknown;

  /** @param database a connection that is never written with */
  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    database: Database,
  ) {
    const pragma = database.prepare('pragma data_version').pluck();
    this.dataVersion = () => translateErrors(() => pragma.get());
  }

  /**
   * The version of rows that are shown in this run of code, which nothing interrupts: {@link settled} needs no look for
   * commits of its own, which takes a tenth of a small request.
   */
  showing(version: unknown): void {
    if (this.#known === undefined) queueMicrotask(() => (this.#known = undefined));
    this.#known = version;
  }

  /** As of `Store`. */
  settled(changedAt = Date.now()): Promise<void> | null {
    if (Date.now() - changedAt >= MAX_SYNC_TIME) return null;
    const version = this.#known ?? this.dataVersion();
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}
