import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { unavailable } from '../store/errors.ts';

const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Brings the write-ahead log to the disk on a thread of the system's, so that the process serves others meanwhile:
 * SQLite would stand still for as long as the disk takes, which is a millisecond or, where others write much, a second.
 *
 * SQLite has no locks on its log, so a descriptor of our own that is closed takes none away.
 */
export class LogSync {
  readonly #sync: () => Promise<void>;
  readonly #file: number;
  #running: Promise<void> | null = null;
  #following: Promise<void> | null = null;
  #failure: unknown = null;

  /**
   * @param path of a database that is open
   * @param sync does it for the file of that descriptor
   */
  constructor(path: string, sync: (file: number) => Promise<void> = syncFile) {
    this.#file = openSync(`${path}-wal`, 'r');
    this.#sync = () => sync(this.#file);
  }

  /**
   * Resolves when whatever stood in the log before the call survives a power cut, also what another process has written. Calls
   * that come while the disk is at work share what follows.
   *
   * @throws Refusal `unavailable` where the disk fails, and ever after: the system forgets pages that it could not write,
   * so a later success would say nothing of them
   */
  sync(): Promise<void> {
    if (this.#running === null) return this.#begin();
    this.#following ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#following;
  }

  /** Resolves when no sync is under way. */
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
