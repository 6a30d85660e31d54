import {
  type Calendar,
  invalid,
  learntUntil,
  localHours,
  MAX_CALENDARS,
  makeSecret,
  notFound,
  type PageRequest,
  type Profile,
  parseUuid,
  type Rows,
  readExclusions,
  type Slot,
  selectedInvalid,
  sliceOf,
  slotWindow,
  startOfWeek,
  type Workspace,
} from '@postshelf/domain';
import { slots } from '../best-times/slots.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

/** A new calendar; the secret in its link is never shown again. */
export interface CalendarWithSecret {
  readonly calendar: Calendar;
  readonly secret: string;
}

/** Creates a calendar. @throws Refusal `invalid` on `profile`, or on `calendar` if the workspace has too many */
export async function createCalendar(
  ports: Pick<Ports, 'calendars' | 'sessionSecrets' | 'clock' | 'ids'>,
  { id: workspaceId }: Pick<Workspace, 'id'>,
  wishes: Omit<Calendar, 'id' | 'workspaceId' | 'hash' | 'createdAt'>,
  complete?: Completing<CalendarWithSecret>,
): Promise<CalendarWithSecret> {
  const { secret, hash } = makeSecret(ports.sessionSecrets);
  const calendar: Calendar = { ...wishes, id: ports.ids.next(), workspaceId, hash, createdAt: ports.clock.now() };
  const created = { calendar, secret };
  const kept = await ports.calendars.insert(calendar, complete?.(created));
  if (kept === 'full') throw invalid('calendar', `A workspace can have at most ${MAX_CALENDARS} calendars.`);
  if (kept === 'gone') throw wishes.profileId === null ? notFound() : invalid('profile', selectedInvalid('profile'));
  return created;
}

/** Finds the calendar that a path names. @throws Refusal `not_found` if the id is malformed, unknown or inaccessible */
export async function findCalendar(ports: Pick<Ports, 'calendars'>, caller: Caller, id: string): Promise<Calendar> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.calendars.find(uuid)));
}

/** Lists calendars, newest first. */
export const listCalendars = (
  { calendars }: Pick<Ports, 'calendars'>,
  { id }: Pick<Workspace, 'id'>,
  page: PageRequest,
): Promise<Rows<Calendar>> => calendars.list(id, sliceOf(page));

/** Deletes a calendar, whose link then stops working. @throws Refusal `not_found` if it was deleted meanwhile */
export async function deleteCalendar(
  { calendars }: Pick<Ports, 'calendars'>,
  { id }: Pick<Calendar, 'id'>,
): Promise<void> {
  if (!(await calendars.delete(id))) throw notFound();
}

/**
 * Finds the calendar of a link.
 *
 * @throws Refusal `not_found` for any invalid link; a malformed secret is refused without a query
 */
export async function findByAddress(
  { calendars, sessionSecrets }: Pick<Ports, 'calendars' | 'sessionSecrets'>,
  address: { readonly id: string; readonly secret: string },
): Promise<Calendar> {
  const [id, hash] = [parseUuid(address.id), sessionSecrets.hashOf(address.secret)];
  const calendar = id && hash !== null && (await calendars.find(id));
  if (!calendar || calendar.hash !== hash) throw notFound();
  return calendar;
}

export interface SuggestedTimes {
  readonly workspace: Workspace;
  readonly profile: Profile | null;
  readonly slots: readonly Slot[];
}

/**
 * Returns what a calendar shows now: suggestions for the next week. They are learned only from whole local weeks whose
 * posts are all old enough, so that they change once a week and not every day.
 *
 * @throws Refusal `not_found` if its workspace or profile is being removed
 */
export async function readCalendar(
  ports: Pick<Ports, 'workspaces' | 'profiles' | 'bestTimes' | 'clock'>,
  { workspaceId, profileId, count, minGapMinutes, exclude }: Calendar,
  signal?: AbortSignal,
): Promise<SuggestedTimes> {
  const workspace = await ports.workspaces.find(workspaceId);
  const profile = profileId && (await ports.profiles.find(profileId));
  const now = ports.clock.now();
  const window = slotWindow({}, now);
  if (!workspace || (profileId && !profile) || 'problem' in window) throw notFound();
  const excluded = readExclusions(exclude ?? '') ?? new Set<number>();
  const wishes = { window, count, minGapMinutes, excluded };
  const until = startOfWeek(learntUntil(now), localHours(workspace.timezone)) - 1;
  const found = await slots(ports, workspace, profileId, wishes, signal, until);
  return { workspace, profile, slots: found.slots };
}
