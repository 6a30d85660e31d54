import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../support/disk.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** The number of events, and the number of those whose deliveries have not been created yet. */
const EVENTS = `select count(*) || ' events, ' || count(case when type <> 'mark'
  and (position is null or position > (select coalesce(max(position), 0) from fan_out)) then 1 end) || ' pending' from events`;

/**
 * Whether a line is an unfinished fit or cover job, or a pending delivery. Jobs for previews don't occur, because the
 * tests disable them.
 */
const isUnderWay = (line: string): boolean =>
  /^jobs \W*(kind\W+)?(fit|cover|delivery)\b|^webhook_deliveries .*pending/.test(line);

/**
 * Tables that change some time after a request, and that are therefore not compared: the audit log gets a request's
 * rows shortly after the request, and a row of `job_turns` changes some time after the last job of its turn.
 */
const LATE = ['audit', 'job_turns'];

/**
 * Returns a line for each row and each file that contains one of the ids. Rows and files are read directly from the
 * database and the storage, once the service's background work for them has ended.
 *
 * @param ids the ids of a workspace and of everything in it
 */
export async function stateOf(world: World, ids: readonly string[]): Promise<string[]> {
  const wanted = new Set(ids);
  let state: string[] = [];
  await until(
    'the work in the background has ended',
    async () => {
      const [before] = await world.database.column(EVENTS);
      if (!before?.endsWith(' 0 pending')) return false;
      state = await readState(world, wanted);
      // If an event occurred while the state was read, the state may lack the event's delivery, and is read again.
      const [after] = await world.database.column(EVENTS);
      return after === before && !state.some(isUnderWay);
    },
    60_000,
  );
  return state;
}

/**
 * The name by which a row of `deletions` identifies the file at this path: the id of an upload, or the full name of an
 * object.
 */
const nameOf = (path: string): string => path.replace(/^media\/(?:\.uploads\/([^/]+)\/.*)?/, '$1');

/** Whether a line is about deleted data, which is purged once it is certain that no copy of the database is in use. */
const isDoomed = (line: string): boolean => /^deletions |^doomed /.test(line);

/** Expects no changes, except that deleted objects may have been purged. */
export const expectUnchanged = (before: readonly string[], after: readonly string[]): void =>
  expect(after).toEqual(before.filter((line) => !isDoomed(line) || after.includes(line)));

async function readState(world: World, ids: ReadonlySet<string>): Promise<string[]> {
  const rows = (await world.database.text())?.split('\n') ?? rowsOf(join(world.dataDir, 'postshelf.db'));
  const deletions = rows.filter(isDoomed).join();
  const files = filesBelow(world.dataDir).filter((path) => isAbout(path, ids));
  return [
    ...rows.filter((row) => isAbout(row, ids) && !LATE.some((table) => row.startsWith(`${table} `))),
    ...files.flatMap((path) => {
      const hash = hashOf(world, path);
      return hash === null ? [] : [`${deletions.includes(nameOf(path)) ? 'doomed ' : ''}${path} ${hash}`];
    }),
  ].sort();
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const isAbout = (text: string, ids: ReadonlySet<string>): boolean => (text.match(UUID) ?? []).some((id) => ids.has(id));

/**
 * Hashes by path, size and time of the last change. They are kept because there are many files, and few of them change.
 */
const hashes = new Map<string, string>();

/** Returns the hash of a file, or null if it was removed after it had been listed. */
function hashOf({ dataDir }: World, path: string): string | null {
  const file = join(dataDir, path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return null;
  const { size, mtimeMs } = found;
  const key = `${file} ${size} ${mtimeMs}`;
  const hash = hashes.get(key) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
  hashes.set(key, hash);
  return hash;
}

function rowsOf(file: string): string[] {
  const database = new Database(file);
  try {
    database.run('pragma busy_timeout = 60000');
    // One transaction reads all tables, so that their rows are consistent.
    database.run('begin');
    // The search index can't be read as rows, but the tables from which it is built can.
    const tables = database
      .query<{ name: string }, []>(
        `select name from sqlite_master where type = 'table' and sql not like 'create virtual%'
          and name not in (${LATE.map((table) => `'${table}'`)})`,
      )
      .all();
    return tables.flatMap(({ name }) =>
      database
        .query<Record<string, unknown>, []>(`select * from "${name}"`)
        .all()
        .map((row) => `${name} ${JSON.stringify(row)}`),
    );
  } finally {
    database.close();
  }
}
