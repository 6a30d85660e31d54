import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';

export interface ObjectCheck {
  /** null: no pass is under way. */
  readonly startedAt: number | null;
  /** All items up to this id are checked. */
  readonly cursor: Uuid | null;
  /** Of them missing or incomplete. */
  readonly checked: number;
  readonly missing: number;
  /** The last complete pass. */
  readonly finishedAt: number | null;
  readonly lastChecked: number;
  readonly lastMissing: number;
}

export interface ObjectChecks {
  find(): Promise<ObjectCheck>;
  /** null if another owner holds the lease. */
  claim(lease: Lease, now: number): Promise<ObjectCheck | null>;
  /** Also renews the lease. False, and nothing changed, if the owner doesn't hold it. */
  save(lease: Lease, check: ObjectCheck): Promise<boolean>;
  release(owner: string): Promise<void>;
}
