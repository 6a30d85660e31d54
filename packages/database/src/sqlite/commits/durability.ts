import type { Database } from 'better-sqlite3';
import { translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Milliseconds after which a commit's sync has ended: it is durable, or its write was refused. */
const MAX_SYNC_TIME = 60_000;

/** Tells whether what readers see is durable, and syncs the log if something was committed since it was synced. */
export class Durability {
  /** A value that changes with every commit of any other connection (sqlite.org/pragma.html#pragma_data_version). */
  readonly dataVersion: () => unknown;
  /** The data version up to which everything is durable. */
  #synced: unknown = null;

  /** @param database a connection that is never written with, since its own commits don't change its data version */
  constructor(
    private readonly log: Pick<LogSync, 'sync'>,
    database: Database,
  ) {
    const pragma = database.prepare('pragma data_version').pluck();
    this.dataVersion = () => translateErrors(() => pragma.get());
  }

  /** As of `Store`. */
  settled(changedAt = Date.now()): Promise<void> | null {
    if (Date.now() - changedAt >= MAX_SYNC_TIME) return null;
    const version = this.dataVersion();
    if (version === this.#synced) return null;
    return this.log.sync().then(() => {
      this.#synced = version;
    });
  }
}
