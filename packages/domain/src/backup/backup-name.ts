/** The placeholder for the time in the name of a backup. Neither shells nor systemd units expand it. */
const DATE = '{date}';

/** UTC date and time to the second in ISO 8601's basic format, which has no colons and sorts by time. */
const WRITTEN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The suffix of a backup whose library had missing or damaged objects. */
const INCOMPLETE = '.incomplete';

/** Whether each backup with this file name gets its own name, with the time in it. */
export const isDated = (pattern: string): boolean => pattern.includes(DATE);

/**
 * Whether backups at this path can be recognised by name later: it has the placeholder at most once, and only in the
 * file name.
 */
export const isBackupPath = (path: string): boolean => path.split(DATE).length <= 2 && !/\{date\}.*\//s.test(path);

/**
 * The name of a backup that is started at the given time.
 *
 * @param pattern a file name with or without `{date}`
 * @param time milliseconds since the epoch
 */
export const backupName = (pattern: string, time: number): string =>
  pattern.replace(DATE, () => new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, ''));

export const incompleteName = (name: string): string => `${name}${INCOMPLETE}`;

/** Whether {@link backupName} makes this name for some time. */
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
