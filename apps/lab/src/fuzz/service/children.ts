import { readdir } from 'node:fs/promises';
import { memoryOf, parentOf } from '@postshelf/harness';

/** Milliseconds between two measurements: a decoder needs longer to fill its memory. */
const INTERVAL = 20;

/** Watches the descendants of a process. */
export class ChildWatch implements AsyncDisposable {
  readonly #seen = new Set<number>();
  #peak = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(private readonly parent: number) {
    this.#done = this.#watch();
  }

  /** The peak memory of the largest, in bytes. */
  get peak(): number {
    return this.#peak;
  }

  /** Processes so far. */
  get count(): number {
    return this.#seen.size;
  }

  /** The ids of those that run now. */
  async running(): Promise<readonly number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const parents = new Map(await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const)));
    const isBelow = (pid: number | null | undefined): boolean =>
      pid !== null && pid !== undefined && (pid === this.parent || isBelow(parents.get(pid)));
    return pids.filter((pid) => pid !== this.parent && isBelow(parents.get(pid)));
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      for (const pid of await this.running()) {
        this.#seen.add(pid);
        // It may have ended meanwhile.
        const { peak } = await memoryOf(pid).catch(() => ({ peak: 0 }));
        this.#peak = Math.max(this.#peak, peak);
      }
      await Bun.sleep(INTERVAL);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }
}
