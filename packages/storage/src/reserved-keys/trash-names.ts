/** The folder of the trash; no object's key begins with a dot. */
export const TRASH = '.trash';

/** Parses a folder's name, which is a time in milliseconds since the epoch; returns null if it isn't one. */
function parseTime(name: string): number | null {
  const at = /^(?:0|[1-9]\d{0,15})$/.test(name) ? Number(name) : null;
  return Number.isSafeInteger(at) ? at : null;
}

/** Returns the times that are the names of folders, latest first. Skips names that aren't times. */
export const timesOf = (names: readonly string[]): number[] =>
  names.flatMap((name) => parseTime(name) ?? []).sort((a, b) => b - a);

function nameOfTime(at: number): string {
  if (!Number.isSafeInteger(at) || at < 0)
    throw new RangeError('A time in the trash must be a whole number of at least 0.');
  return String(at);
}

/** The prefix of the trash. */
export const TRASHED = `${TRASH}/`;

/**
 * Returns the prefix of objects that were moved to the trash at a time.
 *
 * @param at milliseconds since the epoch
 * @throws RangeError for anything but a whole number from 0
 */
export const trashFolder = (at: number): string => `${TRASHED}${nameOfTime(at)}/`;

/**
 * The prefix of objects that readers of a public bucket must not find. It is in the trash's folder, which existing
 * bucket policies already cover. Older releases ignore it, because its name isn't a time.
 */
export const HIDDEN = `${TRASHED}hidden/`;
