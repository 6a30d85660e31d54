import type { Uuid, WorkKind, WorkLimits } from '@postshelf/domain';
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
    this.#pools = {
      uploads: new SlotPool(limits.uploads, startTimer),
      fetches: new SlotPool(limits.fetches, startTimer),
      imports: new SlotPool(limits.imports, startTimer),
      covers: new SlotPool(limits.covers, startTimer),
      previews: new SlotPool(limits.previews, startTimer),
      fits: new SlotPool(limits.fits, startTimer),
      conversions: new SlotPool(limits.conversions, startTimer),
      deliveries: new SlotPool(limits.deliveries, startTimer),
      hashes: new SlotPool(limits.hashes, startTimer),
      reads: new SlotPool(limits.reads, startTimer),
      streams: new SlotPool(limits.streams, startTimer),
      archives: new SlotPool(limits.archives, startTimer),
      checks: new SlotPool(limits.checks, startTimer),
      scans: new SlotPool(limits.scans, startTimer),
      replays: new SlotPool(limits.replays, startTimer),
      writes: new SlotPool(limits.writes, startTimer),
    };
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
