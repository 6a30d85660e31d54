import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';

/** How far the check of all active items' objects has come. Times in milliseconds since the epoch. */
export interface ObjectCheck {
  /** When the current pass began; null when there is none. */
  readonly startedAt: number | null;
  /** It has checked the items up to this id, ordered by id; null at its beginning. */
  readonly cursor: Uuid | null;
  /** Objects that it has checked, and those of them that weren't there whole. */
  readonly checked: number;
  readonly missing: number;
  /** When the last pass came to its end, and what it had found; null and zeros before the first. */
  readonly finishedAt: number | null;
  readonly lastChecked: number;
  readonly lastMissing: number;
}

/** The one check of all objects of a library, which its processes take turns in. */
export interface ObjectChecks {
  find(): Promise<ObjectCheck>;
  /**
   * Takes the lease, or prolongs the owner's own, and answers how far the check has come; null when another owner holds
   * it. A lease that ran out counts as none. Of two that want it, also from two processes, one gets it.
   */
  claim(lease: Lease, now: number): Promise<ObjectCheck | null>;
  /** Keeps how far it has come and prolongs the lease. False, and nothing is changed, when the owner holds it no more. */
  save(lease: Lease, check: ObjectCheck): Promise<boolean>;
  /** Gives the lease back. Nothing happens when the owner doesn't hold it (any more). */
  release(owner: string): Promise<void>;
}
