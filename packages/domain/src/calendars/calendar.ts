import type { SlotWishes } from '../best-times/slot-wishes.ts';
import type { Uuid } from '../ids.ts';

/** Maximum number of calendars in a workspace. */
export const MAX_CALENDARS = 20;

/**
 * Maximum number of times that a workspace's calendars are read per minute. The number is limited because each read
 * estimates the hours from a year of posts, and anyone with the link may read.
 */
export const CALENDAR_READS_PER_MINUTE = 120;

/** Milliseconds after which calendar programs should reload. */
export const CALENDAR_REFRESH = 60 * 60 * 1000;

/** A link at which calendar programs read suggested times. */
export interface Calendar extends Pick<SlotWishes, 'count' | 'minGapMinutes'> {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** null for the whole workspace. */
  readonly profileId: Uuid | null;
  /** Excluded hours in the format of `readExclusions`; null if nothing is excluded. */
  readonly exclude: string | null;
  /** The hash of the secret in the calendar's link, made by `SessionSecrets`. */
  readonly hash: string;
  readonly createdAt: number;
}
