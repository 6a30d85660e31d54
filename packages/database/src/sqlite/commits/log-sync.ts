import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { unavailable } from '../../store/errors.ts';

const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Syncs the write-ahead log on the runtime's thread pool, because SQLite's own sync would block the event loop. SQLite
 * holds no locks on its log, so no lock is lost when this class closes its descriptor of the log.
 */
export class LogSync {
  readonly #sync: () => Promise<void>;
  readonly #file: number;
  #running: Promise<void> | null = null;
  #following: Promise<void> | null = null;
  #failure: unknown = null;

  /**
   * @param path the path of an open database
   * @param sync syncs the file of a descriptor
   */
  constructor(path: string, sync: (file: number) => Promise<void> = syncFile) {
    this.#file = openSync(`${path}-wal`, 'r');
    this.#sync = () => sync(this.#file);
  }

  /**
   * Resolves when everything that was in the log before the call is durable. Calls during a sync share the next one.
   *
   * @throws Refusal `unavailable` when the disk fails, and at every later call: the system discards pages that it could
   *   not write, so a later sync would succeed without them
   */
  sync(): Promise<void> {
    if (this.#running === null) return this.#begin();
    this.#following ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#following;
  }

  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running.catch(() => undefined);
  }

  /** @throws Refusal `unavailable` after a sync has failed */
  require(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.idle();
    await closeFile(this.#file);
  }

  #begin(): Promise<void> {
    this.#following = null;
    const running = this.#syncOnce().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #syncOnce(): Promise<void> {
    this.require();
    try {
      await this.#sync();
    } catch (cause) {
      const what = cause instanceof Error ? cause.message : String(cause);
      this.#failure = unavailable(new Error(`The database's log could not be synced (${what}). Restart the service.`));
      throw this.#failure;
    }
  }
}
