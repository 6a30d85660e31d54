import { readdir } from 'node:fs/promises';
import { memoryOf, parentOf } from '@postshelf/harness';

/** Milliseconds between two polls. This is short enough, because a decoder takes longer to fill its memory. */
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
    return this.#look(new Map());
  }

  /**
   * Polls the processes.
   *
   * @param known the parent of each process that earlier polls found; this poll updates it
   */
  async #look(known: Map<number, number | null>): Promise<readonly number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const there = new Set(pids);
    for (const pid of known.keys()) if (!there.has(pid)) known.delete(pid);
    for (const pid of pids) if (!known.has(pid)) known.set(pid, await parentOf(pid));
    const isBelow = (pid: number | null | undefined): boolean =>
      pid !== null && pid !== undefined && (pid === this.parent || isBelow(known.get(pid)));
    return pids.filter((pid) => pid !== this.parent && isBelow(known.get(pid)));
  }

  async #watch(): Promise<void> {
    // The parents are remembered, because a machine has hundreds of processes: reading the parent of each of them at
    // every poll would keep a processor busy.
    const known = new Map<number, number | null>();
    while (!this.#isOver) {
      for (const pid of await this.#look(known)) {
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
