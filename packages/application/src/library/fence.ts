import { type Deletion, type FenceProblem, judgeFence, type StorageMark } from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import type { Ports } from '../ports.ts';

export interface FenceTimes {
  /** Longer than between two changes, so that a running original changes it first. */
  readonly first: number;
  readonly interval: number;
  /** What a killed process leaves is taken over within `first`. */
  readonly lease: number;
  readonly destroying: number;
}

export const FENCE_TIMES: FenceTimes = { first: 90_000, interval: 60_000, lease: 70_000, destroying: 30_000 };

/** Deletions that one change lets go. */
const DELETIONS = 10_000;

const AT_ONCE = 8;

type FencePorts = Pick<
  Ports,
  'library' | 'fence' | 'deletions' | 'marker' | 'storage' | 'presignStorage' | 'trash' | 'clock' | 'ids'
>;

/**
 * Keeps two copies of a database from working on one storage, and destroys what was deleted. Whichever process holds
 * the database's lease writes a new fence every minute, to the database and then to the storage's mark. Of two
 * databases that began with the same fence one goes on to match the mark, and what it deleted before the change no
 * other can have.
 */
export class FenceKeeper {
  readonly #startedAt: number;
  #problem: FenceProblem | null = null;
  #found: string | null | undefined;
  #isOwner = false;
  #changedAt: number | null = null;

  /** @param owner names this process */
  constructor(
    private readonly ports: FencePorts,
    private readonly owner: string,
    private readonly times: FenceTimes = FENCE_TIMES,
  ) {
    this.#startedAt = ports.clock.now();
  }

  /** null as far as is known. */
  get problem(): FenceProblem | null {
    return this.#problem;
  }

  /** Whether the database was seen to change the mark since this process started. */
  get isOwner(): boolean {
    return this.#isOwner && this.#problem === null;
  }

  /**
   * Compares the database with the mark, and changes the fence when due. Called every few seconds, by one caller at a
   * time.
   *
   * @returns how many objects and uploads were destroyed
   * @throws Refusal `unavailable`; UnreadableMark; the first failure to destroy, after the others
   */
  async step(): Promise<number> {
    const { ports, owner, times } = this;
    const mark = await this.#judge();
    const now = ports.clock.now();
    if (mark === null || this.#problem !== null) return 0;
    // So that others see that the database is in use.
    if (this.#changedAt !== null && Math.abs(now - this.#changedAt) < times.interval) return 0;
    const holds = await ports.fence.takeLease(owner, now, now + times.lease);
    if (!holds || now - this.#startedAt < times.first) return 0;
    return this.#change(mark, now);
  }

  stop(): Promise<void> {
    return this.ports.fence.releaseLease(this.owner);
  }

  /** @returns the mark; null if there is none of this library */
  async #judge(): Promise<StorageMark | null> {
    const { marker, library, fence } = this.ports;
    // The mark first: another process changes the database before the mark.
    const mark = await marker.read();
    const [found, kept] = [await library.find(), await fence.find()];
    if (mark === null || mark.restoring !== null || found === null || mark.library !== found.id) return null;
    this.#problem = judgeFence({ library: found, fence: kept, mark });
    this.#found ??= kept.current;
    if (mark.fence !== undefined && mark.fence === kept.current && kept.current !== this.#found) this.#isOwner = true;
    return mark;
  }

  async #change(mark: StorageMark, now: number): Promise<number> {
    const { fence, ids, deletions, library } = this.ports;
    const { current } = await fence.find();
    // A change that a kill interrupted is finished first, as the mark's fence has to stay one of the two.
    const from = mark.fence === current || current === null ? mark : await this.#swap(mark, current);
    if (from === null) return 0;
    // Before the change: whoever copied the database before these were deleted can't change the mark after it.
    const due = await deletions.list(DELETIONS);
    const next = ids.next();
    if (!(await fence.change(this.owner, current, next))) return 0;
    const generation = (await library.find())?.generation ?? from.generation;
    if ((await this.#swap(from, next, generation)) === null) return 0;
    this.#isOwner = true;
    this.#changedAt = now;
    return this.#destroy(due);
  }

  async #swap(from: StorageMark, fence: string, generation = from.generation): Promise<StorageMark | null> {
    const to = { ...from, generation, fence };
    return (await this.ports.marker.swap(from, to)) ? to : null;
  }

  async #destroy(due: readonly Deletion[]): Promise<number> {
    const { times } = this;
    const { storage, presignStorage, trash, deletions, clock } = this.ports;
    const destroyed: Deletion[] = [];
    const failures: unknown[] = [];
    // The next change must not be late.
    const deadline = clock.now() + times.destroying;
    await forEachConcurrently(each(due), AT_ONCE, async (deletion) => {
      if (clock.now() > deadline) return;
      const { id, fullName, deletedAt } = deletion;
      try {
        if (fullName === null) await presignStorage.remove(id);
        else {
          await storage.remove(fullName);
          await trash.remove({ key: fullName, trashedAt: deletedAt });
        }
        destroyed.push(deletion);
      } catch (error) {
        // An object that can't be removed keeps none of the others.
        failures.push(error);
      }
    });
    await deletions.forget(destroyed);
    if (failures.length > 0) throw failures[0];
    return destroyed.length;
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
