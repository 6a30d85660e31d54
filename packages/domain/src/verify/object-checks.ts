import type { Uuid } from '../ids.ts';

/** Milliseconds between the end of a pass over all objects and the start of the next. */
export const CHECK_INTERVAL = 7 * 24 * 60 * 60 * 1000;

export interface ObjectCheck {
  /** null if no pass is in progress. */
  readonly startedAt: number | null;
  /** The id of the item that was checked last; items are checked in the order of their ids. */
  readonly cursor: Uuid | null;
  /** Number of checked items, and of items whose object is missing or incomplete. */
  readonly checked: number;
  readonly missing: number;
  /** When the last complete pass ended. */
  readonly finishedAt: number | null;
  readonly lastChecked: number;
  readonly lastMissing: number;
}

export interface ObjectChecks {
  find(): Promise<ObjectCheck>;
  /** Adds the job for a pass, unless there is one. @param libraryId the job's subject */
  schedule(libraryId: Uuid, dueAt: number): Promise<void>;
  /** Saves the progress. Returns false, and changes nothing, if the owner doesn't hold the job. */
  save(libraryId: Uuid, owner: string, check: ObjectCheck): Promise<boolean>;
}
