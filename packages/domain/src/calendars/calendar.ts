import type { SlotWishes } from '../best-times/slot-wishes.ts';
import type { Uuid } from '../ids.ts';

/** In a workspace. */
export const MAX_CALENDARS = 20;

/** Reads of a workspace's calendars: each learns from all its posts of a year, and anyone with an address may read. */
export const CALENDAR_READS_PER_MINUTE = 120;

/** Milliseconds after which readers should look again. */
export const CALENDAR_REFRESH = 60 * 60 * 1000;

/** An address at which calendar programs read suggested times. */
export interface Calendar extends Pick<SlotWishes, 'count' | 'minGapMinutes'> {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  /** null: of the whole workspace. */
  readonly profileId: Uuid | null;
  /** As `readExclusions` takes it; null: nothing. */
  readonly exclude: string | null;
  /** Of the secret in its address, by `SessionSecrets`. */
  readonly hash: string;
  readonly createdAt: number;
}
