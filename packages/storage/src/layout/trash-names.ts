/** Where the trash stands in a folder or a bucket: no key of an object begins with a dot. */
export const TRASH = '.trash';

/** The time that a folder in the trash is named for, milliseconds since the epoch; null for any other name. */
function parseTime(name: string): number | null {
  const at = /^(?:0|[1-9]\d{0,15})$/.test(name) ? Number(name) : null;
  return Number.isSafeInteger(at) ? at : null;
}

/** The times that folders in the trash are named for, latest first; names that are none of ours are left out. */
export const timesOf = (names: readonly string[]): number[] =>
  names.flatMap((name) => parseTime(name) ?? []).sort((a, b) => b - a);

/** The name of the folder of a time. @throws RangeError for what is no time */
export function nameOfTime(at: number): string {
  if (!Number.isSafeInteger(at) || at < 0) throw new RangeError('A time in the trash is a whole number from 0.');
  return String(at);
}
