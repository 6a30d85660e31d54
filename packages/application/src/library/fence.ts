import {
  type Deletion,
  FENCE_TIMES,
  type FenceProblem,
  type FenceTimes,
  judgeFence,
  type StorageMark,
} from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import type { Ports } from '../ports.ts';

/** Maximum number of deletions that are purged after one change of the fence. Later ones wait for the next change. */
const MAX_DELETIONS = 10_000;

const CONCURRENCY = 8;

type FencePorts = Pick<
  Ports,
  'library' | 'fence' | 'deletions' | 'marker' | 'storage' | 'presignStorage' | 'trash' | 'clock' | 'ids'
>;

/**
 * Keeps two copies of a database from working on one storage, and purges what was deleted. The process that holds the
 * database's lease writes a new fence every minute, to the database and then to the storage's mark. If two databases
 * start with the same fence, only one of them keeps matching the mark. After a change of the fence, no other database
 * can still need what was deleted before the change.
 */
export class FenceKeeper {
  readonly #startedAt: number;
  #problem: FenceProblem | null = null;
  /** The first fence that this process has found in the database. */
  #firstSeen: string | null | undefined;
  #isOwner = false;
  #changedAt: number | null = null;
  /** The last deletion that was tried; the next change continues after it. */
  #tried: Deletion | undefined;
  #failure: unknown = null;

  /** @param owner identifies this process */
  constructor(
    private readonly ports: FencePorts,
    private readonly owner: string,
    private readonly times: FenceTimes = FENCE_TIMES,
  ) {
    this.#startedAt = ports.clock.elapsed();
  }

  /** The known problem; null if there is none. */
  get problem(): FenceProblem | null {
    return this.#problem;
  }

  /** Whether this database has changed the mark since this process started. */
  get isOwner(): boolean {
    return this.#isOwner && this.#problem === null;
  }

  /**
   * Why something couldn't be purged after the last change of the fence, which is tried again; null if nothing failed.
   */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Compares the database with the mark, and changes the fence when due. Called every few seconds, by one caller at a
   * time.
   *
   * @returns how many objects and uploads were purged
   * @throws Refusal `unavailable`; UnreadableMark
   */
  async step(): Promise<number> {
    const { ports, times } = this;
    const mark = await this.#judge();
    const now = ports.clock.elapsed();
    if (mark === null || this.#problem !== null) return 0;
    if (this.#changedAt !== null && now - this.#changedAt < times.interval) return 0;
    // The lease shows other programs that the database is in use.
    if (!(await this.#takeLease()) || now - this.#startedAt < times.first) return 0;
    const due = await this.#change(mark);
    if (due === null) return 0;
    this.#changedAt = now;
    return this.#purge(due);
  }

  /**
   * Releases the lease. If this database has proved to be the original, first changes the fence once more, so that an
   * older copy can't take over the storage while no process uses the original.
   *
   * @param late resolves when the wait for a storage that hangs has to end
   */
  async stop(late: Promise<unknown> = new Promise(() => undefined)): Promise<void> {
    try {
      await Promise.race([this.#changeOnceMore(), late]);
    } finally {
      await this.ports.fence.releaseLease(this.owner);
    }
  }

  async #changeOnceMore(): Promise<void> {
    const mark = this.isOwner ? await this.#judge() : null;
    if (mark !== null && this.isOwner && (await this.#takeLease())) await this.#change(mark);
  }

  #takeLease(): Promise<boolean> {
    const { fence, clock } = this.ports;
    const now = clock.now();
    return fence.takeLease(this.owner, now, now + this.times.lease);
  }

  /** @returns the mark; null if it isn't this library's */
  async #judge(): Promise<StorageMark | null> {
    const { marker, library, fence } = this.ports;
    // The mark is read first: other processes change the database before the mark, so a new mark is never compared with
    // an old state of the database.
    const mark = await marker.read();
    const [found, ours] = [await library.find(), await fence.find()];
    if (mark === null || mark.restoring !== null || found === null || mark.library !== found.id) return null;
    // An older release may write a mark without a fence. That mark doesn't prove that a copy is the original.
    if (this.#problem?.reason !== 'copy' || mark.fence !== undefined)
      this.#problem = judgeFence({ library: found, fence: ours, mark });
    this.#firstSeen ??= ours.current;
    if (mark.fence !== undefined && mark.fence === ours.current && ours.current !== this.#firstSeen)
      this.#isOwner = true;
    return mark;
  }

  /** @returns what may be purged now; null if the fence wasn't changed */
  async #change(mark: StorageMark): Promise<readonly Deletion[] | null> {
    const { fence, ids, deletions, library } = this.ports;
    const { current } = await fence.find();
    // An interrupted change is finished first. The database keeps only its current and its previous fence, so after
    // another change, the mark's fence would be neither.
    const from = mark.fence === current || current === null ? mark : await this.#swap(mark, current);
    if (from === null) return null;
    // The deletions are listed before the fence is changed. A copy of the database from before these deletions then has
    // an outdated fence, and can no longer work on the storage.
    const due = await deletions.list(MAX_DELETIONS, this.#tried);
    const next = ids.next();
    if (!(await fence.change(this.owner, current, next))) return null;
    const generation = (await library.find())?.generation ?? from.generation;
    if ((await this.#swap(from, next, generation)) === null) return null;
    this.#isOwner = true;
    return due;
  }

  async #swap(from: StorageMark, fence: string, generation = from.generation): Promise<StorageMark | null> {
    const to = { ...from, generation, fence };
    return (await this.ports.marker.swap(from, to)) ? to : null;
  }

  async #purge(due: readonly Deletion[]): Promise<number> {
    const { times } = this;
    const { storage, presignStorage, trash, deletions, clock } = this.ports;
    const purged: Deletion[] = [];
    const failures: unknown[] = [];
    const deadline = clock.elapsed() + times.purging;
    this.#tried = undefined;
    await forEachConcurrently(due, CONCURRENCY, async (deletion) => {
      if (clock.elapsed() > deadline) return;
      const { id, fullName, deletedAt } = deletion;
      // This is set even if the deletion fails, so that the next change continues with later deletions.
      this.#tried = deletion;
      try {
        if (fullName === null) await presignStorage.purge(id);
        else {
          await storage.purge(fullName);
          await trash.purge({ key: fullName, trashedAt: deletedAt });
        }
        purged.push(deletion);
      } catch (error) {
        failures.push(error);
      }
    });
    if (this.#tried === due.at(-1) && due.length < MAX_DELETIONS) this.#tried = undefined;
    this.#failure = failures[0] ?? null;
    await deletions.remove(purged);
    return purged.length;
  }
}
