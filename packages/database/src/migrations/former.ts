/**
 * The migrations from before version 1.0, which the baseline replaced. A library on which all of them have run is
 * converted to the baseline. A library on which only some have run must first be opened by a program that still has
 * them.
 */
const FORMER_MIGRATIONS = {
  first: '0001-library',
  last: '0038-best-times',
  /** The last commit whose program has these migrations. */
  commit: '584d606f49c4',
} as const;

/** The counts with which a removal starts, as a JSON object. */
export const FORMER_COUNTS =
  '{"rows":0,"objects":0,"previews":0,"events":0,"webhooks":0,"tokens":0,"people":0,"sessions":0}';

/** Adds a row for each removal in progress that was started by a release that didn't keep counts. */
export const ADD_FORMER_REMOVALS = `insert into removals (workspace_id, begun_at, ended_at, counts)
  select id, removal_begun_at, null, '${FORMER_COUNTS}' from workspaces
  where removal_begun_at is not null and id not in (select workspace_id from removals)`;

/** Whether former migrations are among those that have run on a database. */
export const isFormer = (run: ReadonlySet<string>): boolean => run.has(FORMER_MIGRATIONS.first);

/** Whether a name has the form of a former migration's name. */
export const isFormerName = (name: string): boolean => /^0\d{3}-/.test(name) && name <= FORMER_MIGRATIONS.last;

/**
 * Returns the end of a sentence that says why a library can't be used if some of the former migrations haven't run, and
 * what to do. Returns null if all of them have run.
 *
 * @param run the names of the migrations that have run
 */
export function unfinishedFormer(run: ReadonlySet<string>): string | null {
  const { last, commit } = FORMER_MIGRATIONS;
  if (run.has(last)) return null;
  const newest = [...run].sort().at(-1);
  return `is of a version before 1.0 (its last migration is ${newest}): migrate it with the program of commit ${commit} first`;
}
