import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../support/disk.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** How many events there are, and how many whose deliveries are still to be made. */
const EVENTS = `select count(*) || ' events, ' || count(case when type <> 'mark'
  and (position is null or position > (select coalesce(max(position), 0) from fan_out)) then 1 end) || ' untold' from events`;

/** Jobs of files that are there, and deliveries that have not ended. Previews aren't made ahead in tests. */
const isUnderWay = (line: string): boolean =>
  /^jobs \W*(kind\W+)?(fit|cover|delivery)\b|^webhook_deliveries .*pending/.test(line);

/** What was done just now is written there a moment later; and a turn is put right some time after its last job has ended. */
const LATE = ['audit', 'job_turns'];

/**
 * All rows and files that contain one of the ids, a line for each, read directly from the database and storage after the
 * service's background work for them has ended.
 *
 * @param ids of a workspace and of everything in it
 */
export async function stateOf(world: World, ids: readonly string[]): Promise<string[]> {
  const wanted = new Set(ids);
  let state: string[] = [];
  await until(
    'the work in the background has ended',
    async () => {
      const [before] = await world.database.column(EVENTS);
      if (!before?.endsWith(' 0 untold')) return false;
      state = await readState(world, wanted);
      // An event that came in between may have been told already.
      const [after] = await world.database.column(EVENTS);
      return after === before && !state.some(isUnderWay);
    },
    60_000,
  );
  return state;
}

/** As a deletion names it: by the id of an upload, or by its full name. */
const nameOf = (path: string): string => path.replace(/^media\/(?:\.uploads\/([^/]+)\/.*)?/, '$1');

/** What is deleted already: it goes once it is known that no copy of the database is at work. */
const isDoomed = (line: string): boolean => /^deletions |^doomed /.test(line);

/** But for what was deleted already, and has gone since. */
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

/** By path, size and time of the last change: files are many, and hardly any changes. */
const hashes = new Map<string, string>();

/** null if it has gone since it was listed. */
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
    // One transaction, so that all rows are consistent.
    database.run('begin');
    // The search index can't be read as rows, but the tables from which it is built can.
    const tables = database
      .query<{ name: string }, []>(
        `select name from sqlite_master where type = 'table' and sql not like 'create virtual%'`,
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
