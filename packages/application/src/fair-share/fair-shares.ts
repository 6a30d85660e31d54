import { type Uuid, WORK_KINDS, type WorkKind, type WorkLimits } from '@postshelf/domain';
import { type ReleaseSlot, SlotPool, type StartTimer } from './slot-pool.ts';

/** The numbers of slots in use, of waiting callers, and of callers refused since the start. */
export type ShareFigures = SlotPool['figures'];

const startTimeout: StartTimer = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * Slots for all costly work of this process, by kind of work and by workspace, so that no workspace keeps the work of
 * another workspace waiting (docs/decisions/13-shares.md).
 *
 * ```ts
 * const releaseSlot = await shares.take('covers', workspaceId, signal);
 * try { … } finally { releaseSlot(); }
 * ```
 */
export class FairShares {
  readonly #pools: Readonly<Record<WorkKind, SlotPool>>;

  constructor(limits: WorkLimits, startTimer: StartTimer = startTimeout) {
    const pools = WORK_KINDS.map((kind) => [kind, new SlotPool(limits[kind], startTimer)] as const);
    this.#pools = Object.fromEntries(pools) as Record<WorkKind, SlotPool>;
  }

  /**
   * Takes a slot, or waits for one.
   *
   * @param signal aborted when the caller has disconnected
   * @returns a function that releases the slot; calling it again does nothing
   * @throws Refusal `busy` if too many callers wait or waiting takes too long; `endedEarly` if the signal is aborted
   */
  take(kind: WorkKind, workspaceId: Uuid, signal: AbortSignal): Promise<ReleaseSlot> {
    return this.#pools[kind].take(workspaceId, signal);
  }

  tryTake(kind: WorkKind, workspaceId: Uuid): ReleaseSlot | null {
    return this.#pools[kind].tryTake(workspaceId);
  }

  /** Returns the workspaces at their limit; null if no slot is free at all. */
  workspacesAtLimit(kind: WorkKind): readonly Uuid[] | null {
    return this.#pools[kind].workspacesAtLimit();
  }

  taken(kind: WorkKind): number {
    return this.#pools[kind].taken;
  }

  figures(kind: WorkKind): ShareFigures {
    return this.#pools[kind].figures;
  }
}
