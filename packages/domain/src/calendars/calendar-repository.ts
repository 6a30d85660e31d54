import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Calendar } from './calendar.ts';

/** Calendars are deleted together with their profile or workspace. */
export interface CalendarRepository {
  /**
   * Returns `full` if the workspace has {@link MAX_CALENDARS}, `gone` if the workspace or the profile doesn't exist; in
   * both cases, nothing is inserted.
   */
  insert(calendar: Calendar, completion?: IdempotencyCompletion): Promise<'kept' | 'full' | 'gone'>;
  find(id: Uuid): Promise<Calendar | null>;
  /** Lists calendars newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Calendar>>;
  /** Deletes a calendar, so that every `find` that starts later returns null. Returns false if there was none. */
  delete(id: Uuid): Promise<boolean>;
  /** Deletes the calendars of all workspaces. */
  deleteAll(): Promise<void>;
}
