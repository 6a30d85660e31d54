import type { Uuid } from '../ids.ts';

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
  /** Adds the job that makes the pass, unless there is one. @param libraryId its subject */
  schedule(libraryId: Uuid, dueAt: number): Promise<void>;
  /** False, and nothing changed, if the owner doesn't hold the job. */
  save(libraryId: Uuid, owner: string, check: ObjectCheck): Promise<boolean>;
}
