import type { Database } from 'better-sqlite3';
import { FEW_ROWS } from '../../store/count.ts';
import type { FillStep } from '../../store/readers.ts';
import { entryOf, shortEntryOf } from './search-entries.ts';

const LARGE = `select workspace_id from media_counts group by workspace_id having sum(items) > ${FEW_ROWS}`;

/**
 * Whether entries may have to be added or removed. The result is false for a database with only small workspaces, which
 * then needs no reader thread for the index. The result is true if there are too many counts to sum them here; a reader
 * thread then has to check.
 */
export const mayHaveLargeLists = (reader: Database): boolean =>
  reader
    .prepare(
      `with few as materialized (select workspace_id, items from media_counts limit ${FEW_ROWS + 1})
      select 1 where exists (select 1 from media_search_removed)
        or (select count(*) from few) > ${FEW_ROWS}
        or exists (select 1 from few group by workspace_id having sum(items) > ${FEW_ROWS})`,
    )
    .get() !== undefined;

const STEP = 10;

const MAX_ENTRIES = 500;

/** Number of pages that each step merges in the tables of the index. */
const MERGE = 16;

/**
 * Makes one step, in a short transaction: removes outdated entries, or if there are none, adds items of a large
 * workspace.
 *
 * @throws SqliteError SQLITE_BUSY if another connection holds the write lock for too long
 */
export function fillSearchIndex(writer: Database): FillStep {
  const workspaceId = findWork(writer);
  if (workspaceId === null) return { entries: 0, isDone: true };
  const entries = writer.transaction(() => removeEntries(writer) || addEntries(writer, workspaceId)).immediate();
  for (const table of ['media_search', 'media_search_short']) {
    writer.prepare(`insert into ${table} (${table}, rank) values ('merge', ${MERGE})`).run();
  }
  return { entries, isDone: false };
}

/**
 * Returns a workspace whose items need entries, an empty string if entries are to be removed, or null if there is
 * nothing to do.
 */
function findWork(writer: Database): string | null {
  if (writer.prepare('select 1 from media_search_removed limit 1').get() !== undefined) return '';
  const lacking = writer
    .prepare<[], string>(
      `select workspace_id from (${LARGE}) as large
      where exists (
        select 1 from media indexed by media_unsearched
        where workspace_id = large.workspace_id and search_number is null and cover_of is null
      )
      limit 1`,
    )
    .pluck();
  return lacking.get() ?? null;
}

function removeEntries(writer: Database): number {
  const end = performance.now() + STEP;
  const rows = writer
    .prepare<[], { number: number; search_key: string }>(
      `select number, search_key from media_search_removed order by number limit ${MAX_ENTRIES}`,
    )
    .all();
  const [removeEntry, removeShort] = (['media_search', 'media_search_short'] as const).map((table) =>
    writer.prepare(`insert into ${table} (${table}, rowid, search_key) values ('delete', cast(? as integer), ?)`),
  );
  const clear = writer.prepare('delete from media_search_removed where number = ?');
  let entries = 0;
  for (const { number, search_key } of rows) {
    removeEntry?.run(number, entryOf(search_key));
    removeShort?.run(number, shortEntryOf(search_key));
    clear.run(number);
    entries += 1;
    if (performance.now() > end) break;
  }
  return entries;
}

function addEntries(writer: Database, workspaceId: string): number {
  if (workspaceId === '') return 0;
  const end = performance.now() + STEP;
  writer
    .prepare(`insert into media_search_scopes (workspace_id, last_number) values (?, 0) on conflict do nothing`)
    .run(workspaceId);
  // Each workspace (scope) numbers its entries from `scope << 32`.
  const scope = writer
    .prepare<[string], { scope: number; last: number }>(
      'select scope, max(last_number, scope << 32) as last from media_search_scopes where workspace_id = ?',
    )
    .get(workspaceId);
  if (scope === undefined) return 0;
  const rows = writer
    .prepare<[string], { row: number; search_key: string }>(
      `select rowid as row, search_key from media indexed by media_unsearched
      where workspace_id = ? and search_number is null and cover_of is null limit ${MAX_ENTRIES}`,
    )
    .all(workspaceId);
  const [addEntry, addShort] = (['media_search', 'media_search_short'] as const).map((table) =>
    writer.prepare(`insert into ${table} (rowid, search_key) values (cast(? as integer), ?)`),
  );
  const number = writer.prepare('update media set search_number = ? where rowid = ?');
  let last = scope.last;
  for (const { row, search_key } of rows) {
    last += 1;
    addEntry?.run(last, entryOf(search_key));
    addShort?.run(last, shortEntryOf(search_key));
    number.run(last, row);
    if (performance.now() > end) break;
  }
  writer.prepare('update media_search_scopes set last_number = ? where scope = ?').run(last, scope.scope);
  return last - scope.last;
}
