import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';

/** Times in milliseconds since the epoch. */
export interface ObjectCheck {
  /** null: no pass is under way. */
  readonly startedAt: number | null;
  /** All items up to this id are checked. */
  readonly cursor: Uuid | null;
  /** And those of them that were missing or incomplete. */
  readonly checked: number;
  readonly missing: number;
  /** Of the last complete pass; null and zeros before the first. */
  readonly finishedAt: number | null;
  readonly lastChecked: number;
  readonly lastMissing: number;
}

/** One check of a library, which its processes perform in turns. */
export interface ObjectChecks {
  find(): Promise<ObjectCheck>;
  /**
   * Takes or renews the lease, and returns the progress; null if another owner holds it. Of concurrent callers one gets
   * it.
   */
  claim(lease: Lease, now: number): Promise<ObjectCheck | null>;
  /** Also renews the lease. False, and nothing changed, if the owner doesn't hold it. */
  save(lease: Lease, check: ObjectCheck): Promise<boolean>;
  /** Does nothing if the owner doesn't hold it. */
  release(owner: string): Promise<void>;
}
