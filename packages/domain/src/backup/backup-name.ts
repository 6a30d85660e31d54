/** The placeholder for the time in the name of a backup. Neither shells nor units of systemd expand it. */
const DATE = '{date}';

/** Date and time of UTC to the second, ISO 8601's basic format: no colon, and the order of names is that of time. */
const WRITTEN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The suffix of a backup whose library had missing or damaged objects. */
const INCOMPLETE = '.incomplete';

/** Whether each backup under this file name gets a name of its own, by the time. */
export const isDated = (pattern: string): boolean => pattern.includes(DATE);

/** Whether backups at this path can be recognised by name later: the placeholder once at most, in the file name only. */
export const isBackupPath = (path: string): boolean => path.split(DATE).length <= 2 && !/\{date\}.*\//s.test(path);

/**
 * The name of a backup that is begun now.
 *
 * @param pattern a file name, with `{date}` or without
 * @param time milliseconds since the epoch
 */
export const backupName = (pattern: string, time: number): string =>
  pattern.replace(DATE, () => new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, ''));

export const incompleteName = (name: string): string => `${name}${INCOMPLETE}`;

/** Whether {@link backupName} gives this name at some time. */
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
