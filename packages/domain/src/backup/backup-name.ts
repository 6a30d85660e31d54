/** The placeholder for the time; neither shells nor systemd units expand it. */
const DATE = '{date}';

/** ISO 8601 without separators, so that names have no colons and sort by time. */
const WRITTEN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

const INCOMPLETE = '.incomplete';

export const isDated = (pattern: string): boolean => pattern.includes(DATE);

/**
 * Whether backups at this path can be recognised by their file names: `{date}` occurs at most once, and not in a
 * folder's name.
 */
export const isBackupPath = (path: string): boolean => path.split(DATE).length <= 2 && !/\{date\}.*\//s.test(path);

/** Returns the name of a backup made at a time. @param pattern a file name with or without `{date}` */
export const backupName = (pattern: string, time: number): string =>
  pattern.replace(DATE, () => new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, ''));

export const incompleteName = (name: string): string => `${name}${INCOMPLETE}`;

export function isNameOf(pattern: string, name: string): boolean {
  if (!isDated(pattern)) return name === pattern;
  const [before = '', after = ''] = pattern.split(DATE);
  if (!name.startsWith(before) || !name.endsWith(after)) return false;
  const written = WRITTEN.exec(name.slice(before.length, name.length - after.length));
  if (written === null) return false;
  const [, year, month, day, hour, minute, second] = written;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return !Number.isNaN(time) && backupName(pattern, time) === name;
}
