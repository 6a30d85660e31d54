import { readdir } from 'node:fs/promises';
import { memoryOf, parentOf } from '@postshelf/harness';

/** Milliseconds between two polls. A decoder takes longer to fill its memory, so the polls don't miss the peak. */
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

  /** The peak memory of the largest descendant, in bytes. */
  get peak(): number {
    return this.#peak;
  }

  /** The number of descendants that were seen so far. */
  get count(): number {
    return this.#seen.size;
  }

  /** Returns the ids of the running descendants. */
  running(): Promise<readonly number[]> {
    return this.#poll(new Map());
  }

  /**
   * Polls the processes, and returns the ids of the descendants.
   *
   * @param known the parents found by earlier polls, by process id; this function updates the map
   */
  async #poll(known: Map<number, number | null>): Promise<readonly number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const there = new Set(pids);
    for (const pid of known.keys()) if (!there.has(pid)) known.delete(pid);
    for (const pid of pids) if (!known.has(pid)) known.set(pid, await parentOf(pid));
    const isBelow = (pid: number | null | undefined): boolean =>
      pid !== null && pid !== undefined && (pid === this.parent || isBelow(known.get(pid)));
    return pids.filter((pid) => pid !== this.parent && isBelow(known.get(pid)));
  }

  async #watch(): Promise<void> {
    // A machine has hundreds of processes. Reading every process's parent at each poll would keep a processor busy, so
    // the parents are cached.
    const known = new Map<number, number | null>();
    while (!this.#isOver) {
      for (const pid of await this.#poll(known)) {
        this.#seen.add(pid);
        // The process may have ended in the meantime.
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
