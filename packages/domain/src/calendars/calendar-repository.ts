import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Calendar } from './calendar.ts';

/** A calendar ends with its profile or workspace. */
export interface CalendarRepository {
  /** `full`: {@link MAX_CALENDARS}; `gone`: the workspace, or it has no such profile. Nothing is inserted then. */
  insert(calendar: Calendar, completion?: RepeatCompletion): Promise<'kept' | 'full' | 'gone'>;
  find(id: Uuid): Promise<Calendar | null>;
  /** The newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Calendar>>;
  /** Every `find` that starts later returns null. False if there was none. */
  remove(id: Uuid): Promise<boolean>;
  /** Of all workspaces. */
  removeAll(): Promise<void>;
}
