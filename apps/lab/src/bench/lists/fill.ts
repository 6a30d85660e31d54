import Database from 'better-sqlite3';

/** Folders at the top of a workspace. All others are in one of them, and so are the media. */
const TOP_FOLDERS = 100;

/** The first row's time: the beginning of 2025 in UTC. Each next row is a second later. */
const FIRST = Date.UTC(2025, 0, 1);
const STEP = 1000;

/** Coprime to each number of rows, so that the times of last changes are unique and shuffled. */
const SCRAMBLE = 7919;

/** `table` is one digit of hexadecimal, so that no two rows share an id. */
const idOf = (table: string, row: string): string => `printf('01940000-0000-7000-8${table}00-%012x', ${row})`;

const NUMBERS = 'with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < $rows)';

/** A folder in the first hundred is at the top, every other in one of them. */
const FOLDERS = `${NUMBERS}
  insert into folders (id, workspace_id, parent_id, name, name_key, is_system, created_at, updated_at)
  select ${idOf('1', '$base + n')}, $workspace, iif(n < ${TOP_FOLDERS}, null, ${idOf('1', `$base + n % ${TOP_FOLDERS}`)}),
    'Folder ' || n, 'folder ' || n, 0, ${FIRST} + n * ${STEP}, ${FIRST} + (n * ${SCRAMBLE} % $rows) * ${STEP}
  from numbers`;

/** Of a hundred items five are videos, one is a failed import, and the others are images. */
const MEDIA = `${NUMBERS}, made as (
    select n, ${idOf('2', '$base + n')} as id, n % 100 = 99 as failed, n % 20 = 7 as video from numbers
  )
  insert into media (id, workspace_id, folder_id, name, full_name, label, search_key, created_at, updated_at, status,
    type, size, sha256, width, height, time, error_message)
  select id, $workspace, ${idOf('1', `$base + n % ${TOP_FOLDERS}`)}, 'photo-' || n || '.jpg',
    $workspace || '/' || id || '/photo-' || n || '.jpg', null, 'photo-' || n || '.jpg',
    ${FIRST} + n * ${STEP}, ${FIRST} + (n * ${SCRAMBLE} % $rows) * ${STEP}, iif(failed, 'failed', 'active'),
    case when failed then null when video then 'video/mp4' else 'image/jpeg' end, iif(failed, null, 100000),
    iif(failed, null, printf('%064x', n)), iif(failed, null, 640), iif(failed, null, 480), iif(video, 10, null),
    iif(failed, 'The host was not found.', null)
  from made`;

/** The id of a workspace's folder, by its number. */
export const folderId = (base: number, nth: number): string =>
  `01940000-0000-7000-8100-${(base + nth).toString(16).padStart(12, '0')}`;

/** Writes so many folders and as many media of each workspace directly into the database. */
export function fill(file: string, workspaces: readonly { id: string; base: number; rows: number }[]): void {
  const database = new Database(file);
  try {
    // These rows need not survive a power cut.
    database.pragma('synchronous = off');
    database.pragma('cache_size = -524288');
    for (const { id, base, rows } of workspaces)
      database.transaction(() => {
        for (const statement of [FOLDERS, MEDIA]) database.prepare(statement).run({ workspace: id, base, rows });
      })();
    database.pragma('wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}
