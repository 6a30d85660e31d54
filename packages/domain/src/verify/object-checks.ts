import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';

/** The progress of the check of all active items' objects. Times in milliseconds since the epoch. */
export interface ObjectCheck {
  /** When the current pass began; null when there is none. */
  readonly startedAt: number | null;
  /** All items up to this id, ordered by id, have been checked; null at the beginning. */
  readonly cursor: Uuid | null;
  /** Objects that were checked, and those of them that were missing or incomplete. */
  readonly checked: number;
  readonly missing: number;
  /** When the last complete pass ended, and its results; null and zeros before the first. */
  readonly finishedAt: number | null;
  readonly lastChecked: number;
  readonly lastMissing: number;
}

/** The one check of all objects of a library, which its processes perform in turns. */
export interface ObjectChecks {
  find(): Promise<ObjectCheck>;
  /**
   * Takes the lease, or renews the owner's own, and returns the check's progress; null if another owner holds it. An
   * expired lease counts as none. Of concurrent callers, also from several processes, one gets it.
   */
  claim(lease: Lease, now: number): Promise<ObjectCheck | null>;
  /** Stores the progress and renews the lease. False, and nothing is changed, if the owner doesn't hold it any more. */
  save(lease: Lease, check: ObjectCheck): Promise<boolean>;
  /** Releases the lease. Does nothing if the owner doesn't hold it (any more). */
  release(owner: string): Promise<void>;
}
