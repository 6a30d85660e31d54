import { runSql } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';

/** Number of rows. The database itself inserts them, because a million requests would take hours. */
export const ROWS = 1_000_000;
/**
 * Number of folders that contain items. They are at the root, and share a fifth of all items equally. The other folders
 * are empty.
 */
const FILLED = 100;
export const IN_FOLDER = ROWS / 5 / FILLED;
const PROFILES = 50;

const DAY = 86_400_000;
const DAYS = 365;

/**
 * The time of the oldest row. The other rows follow half a minute apart throughout a year, because suggested times are
 * learned from the last year.
 */
const FIRST = Math.floor(Date.now() / DAY) * DAY - DAYS * DAY;
const STEP = (DAYS * DAY) / ROWS;

/** Returns the date of the nth day, counted from 1. */
export const dateOf = (day: number): string => new Date(FIRST + (day - 1) * DAY).toISOString().slice(0, 10);

/** Returns the number of rows that were created within the first `days` days. */
export const rowsOf = (days: number): number => Math.floor((days * DAY - 1) / STEP);

/** Ids for filtering lists: a folder with items, and a profile with posts. */
export interface Library {
  readonly workspace: string;
  readonly folder: string;
  readonly profile: string;
}

export const libraryOf = (workspace: string): Library => ({
  workspace,
  folder: id('f', 1),
  profile: id('e', 1),
});

const id = (kind: string, number: number): string =>
  `01940000-${kind}000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** The parts of statements that differ between the SQL dialects. The number `n` counts from 1. */
interface Words {
  /** Returns a source of one row for each number from 1 to `last`, named `numbers(n)`. */
  numbers(last: number): string;
  id(kind: string, n: string): string;
  text(n: string): string;
}

const POSTGRES: Words = {
  numbers: (last) => `numbers(n) as (select * from generate_series(1::bigint, ${last}))`,
  id: (kind, n) => `('01940000-${kind}000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`,
  text: (n) => `(${n})::text`,
};

const SQLITE: Words = {
  numbers: (last) => `recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${last})`,
  id: (kind, n) => `printf('01940000-${kind}000-7000-8000-%012x', ${n})`,
  text: (n) => `cast(${n} as text)`,
};

/**
 * Returns statements that fill one workspace with a million folders, a million images and videos, and a million posts
 * of fifty profiles.
 */
function statements(workspace: string, words: Words): readonly string[] {
  const ids = (kind: string, n: string): string => words.id(kind, n);
  const name = `'IMG_' || ${words.text('n')} || case when n % 10 = 0 then '.mp4' else '.jpg' end`;
  // Some items were changed after they were created.
  const changed = `${FIRST} + n * ${STEP} + case when n % 11 = 3 then n * 7919 % ${ROWS} * ${STEP} else 0 end`;
  return [
    `with ${words.numbers(ROWS)} insert into folders
       (id, workspace_id, parent_id, name, name_key, is_system, created_at, updated_at)
     select ${ids('f', 'n')}, '${workspace}', null, 'Folder ' || ${words.text('n')}, 'folder ' || ${words.text('n')},
       0, ${FIRST}, ${FIRST} + n from numbers`,
    `with ${words.numbers(ROWS)} insert into media
       (id, workspace_id, folder_id, name, full_name, label, search_key, created_at, updated_at, status, type, size,
        sha256, width, height, time)
     select ${ids('a', 'n')}, '${workspace}', case when n % 5 = 0 then ${ids('f', `n / 5 % ${FILLED} + 1`)} end,
       ${name}, '${workspace}/01940000-a000-7000-8000-' || ${words.text('n')} || '/' || ${name}, null,
       lower(${name}), ${FIRST} + n * ${STEP}, ${changed}, 'active',
       case when n % 10 = 0 then 'video/mp4' else 'image/jpeg' end, 2000000 + n,
       '${'5c'.repeat(32)}', 4000, 3000, case when n % 10 = 0 then 12 end from numbers`,
    `with ${words.numbers(PROFILES)} insert into profiles (id, workspace_id, name, network, created_at, updated_at)
     select ${ids('e', 'n')}, '${workspace}', 'Profile ' || ${words.text('n')}, 'instagram', ${FIRST}, ${FIRST} + n
     from numbers`,
    `with ${words.numbers(ROWS)} insert into posts
       (id, workspace_id, profile_id, external_id, published_at, text, impressions, likes, comments, shares, saves,
        clicks, created_at, updated_at)
     select ${ids('b', 'n')}, '${workspace}', ${ids('e', `n % ${PROFILES} + 1`)}, ${words.text('n')}, ${FIRST} + n * ${STEP},
       'A post of some length, number ' || ${words.text('n')}, n % 5000, n % 300, n % 20, 3, 2, 1, ${FIRST}, ${FIRST}
     from numbers`,
  ];
}

/**
 * Fills a PostgreSQL library.
 *
 * @param url a migrated PostgreSQL database
 */
export async function fillPostgres(url: string, workspace: string): Promise<void> {
  for (const statement of statements(workspace, POSTGRES)) await runSql(url, statement);
  await runSql(url, 'vacuum analyze');
}

/**
 * Fills a SQLite library.
 *
 * @param file a migrated SQLite database that no other process has open
 */
export function fillSqlite(file: string, workspace: string): void {
  const database = new Database(file);
  database.pragma('synchronous = off');
  for (const statement of statements(workspace, SQLITE)) database.exec(statement);
  database.exec('analyze');
  database.close();
}
