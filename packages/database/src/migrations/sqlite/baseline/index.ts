import { type Kysely, sql } from 'kysely';
import { ADD_FORMER_REMOVALS, FORMER_COUNTS } from '../../former.ts';
import { ACCESS } from './access.ts';
import { EVENTS } from './events.ts';
import { FOLDER_COUNTS_FORGET, FOLDERS } from './folders.ts';
import { LIBRARY } from './library.ts';
import { MEDIA } from './media.ts';
import { POSTS } from './posts.ts';
import { MEDIA_SEARCH_FORGET, SEARCH } from './search.ts';
import { TRASH } from './trash.ts';
import { UPLOADS } from './uploads.ts';
import { USAGE } from './usage.ts';
import { WORKSPACES } from './workspaces.ts';

const STATEMENTS = [WORKSPACES, ACCESS, FOLDERS, MEDIA, SEARCH, UPLOADS, USAGE, TRASH, POSTS, EVENTS, LIBRARY].flat();

/**
 * Creates the schema of version 1.0. Times are whole milliseconds since the epoch, flags are 0 or 1, and ids are UUIDs
 * in their canonical text form. Checks, keys and triggers hold for every program that writes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/**
 * Objects of the former migrations that the baseline lacks or makes differently. The only different one is
 * `media_search_forget`, which formerly also deleted rows of two more tables.
 */
export const FORMER_OBJECTS = [
  ...['media_days_insert', 'media_days_delete', 'media_days_leave', 'media_days_enter', 'media_search_forget'],
  ...['post_days_insert', 'post_days_delete', 'post_days_move'],
  ...['media_version', 'folders_version', 'posts_version', 'profiles_version'],
]
  .map((name) => `trigger ${name}`)
  .concat('index media_latest_of_day', 'table media_days', 'table post_days', 'table media_search_due');

/** Objects that the baseline makes and the former migrations didn't. */
export const FORMER_LACKED = ['trigger folder_counts_forget'];

/**
 * Completes rows that early releases wrote. The last release before 1.0 still completed them each time it read them.
 */
const COMPLETE_ROWS = [
  ADD_FORMER_REMOVALS,
  `update removals set counts = json_patch('${FORMER_COUNTS}', counts) where json_type(counts, '$.people') is null`,
  `update audit set counts = json_set(counts, '$.people', 0) where json_type(counts, '$.people') is null`,
  `update events set data = json_set(data, '$.trashBytes', 0, '$.trashItems', 0)
    where type like 'workspace.%' and json_type(data, '$.trashBytes') is null`,
  ...['row', 'cover'].map(
    (part) => `update events set data = json_set(data, '$.${part}.version', 1)
      where json_type(data, '$.${part}') = 'object' and json_type(data, '$.${part}.version') is null`,
  ),
];

/**
 * Turns the schema of the former migrations into the baseline. The first statements delete what the baseline lacks, so
 * that none of the former triggers can fire.
 */
export async function upFromFormer(db: Kysely<unknown>): Promise<void> {
  const dropped = FORMER_OBJECTS.map((object) => `drop ${object}`);
  const statements = [...dropped, FOLDER_COUNTS_FORGET, MEDIA_SEARCH_FORGET, ...COMPLETE_ROWS];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
