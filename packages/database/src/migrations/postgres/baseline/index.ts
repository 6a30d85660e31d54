import { type Kysely, sql } from 'kysely';
import { ADD_FORMER_REMOVALS, FORMER_COUNTS } from '../../former.ts';
import { ACCESS } from './access.ts';
import { EVENTS } from './events.ts';
import { FOLDER_COUNTS_FORGET, FOLDERS } from './folders.ts';
import { LIBRARY } from './library.ts';
import { MEDIA } from './media.ts';
import { POSTS } from './posts.ts';
import { TRASH } from './trash.ts';
import { UPLOADS } from './uploads.ts';
import { USAGE } from './usage.ts';
import { WORKSPACES } from './workspaces.ts';

const STATEMENTS = [WORKSPACES, ACCESS, FOLDERS, MEDIA, UPLOADS, USAGE, TRASH, POSTS, EVENTS, LIBRARY].flat();

/**
 * Creates the schema of version 1.0. Times are whole milliseconds since the epoch; flags are 0 or 1. Checks, keys and
 * triggers hold for every program that writes. Text in an index is collated by its bytes, so that a new version of the
 * system's collations can't damage the index. The search index is not part of the schema, because not every role may
 * create the extension for trigrams (`make-search-index.ts`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** Objects that the former migrations made and the baseline doesn't, in an order in which they can be dropped. */
const FORMER_OBJECTS = [
  ...['media_days_insert', 'media_days_delete', 'media_days_update', 'media_version'].map(
    (name) => `trigger ${name} on media`,
  ),
  ...['media_search_insert', 'media_search_delete', 'media_search_move'].map((name) => `trigger ${name} on media`),
  ...['post_days_insert', 'post_days_delete', 'post_days_move', 'posts_version'].map(
    (name) => `trigger ${name} on posts`,
  ),
  ...['trigger folders_version on folders', 'trigger profiles_version on profiles'],
  'trigger large_lists_forget on workspaces',
  ...['media_days_add', 'post_days_add', 'post_days_move', 'large_lists_forget'].map((name) => `function ${name}()`),
  ...['media_search_log', 'media_search_move', 'raise_version'].map((name) => `function ${name}()`),
  'index media_latest_of_day',
  ...['media_days', 'post_days', 'media_search_due'].map((name) => `table ${name}`),
  ...['media_search_totals', 'media_search_bases', 'media_search_changes'].map((name) => `table ${name}`),
];

/**
 * Completes rows that early releases wrote. The last release before 1.0 still completed them each time it read them.
 */
const COMPLETE_ROWS = [
  ADD_FORMER_REMOVALS,
  `update removals set counts = (jsonb '${FORMER_COUNTS}' || counts::jsonb)::text where counts::jsonb -> 'people' is null`,
  `update audit set counts = (counts::jsonb || '{"people":0}')::text where counts::jsonb -> 'people' is null`,
  `update events set data = (data::jsonb || '{"trashBytes":0,"trashItems":0}')::text
    where type like 'workspace.%' and data::jsonb -> 'trashBytes' is null`,
  ...['row', 'cover'].map(
    (part) => `update events set data = jsonb_set(data::jsonb, '{${part},version}', '1')::text
      where jsonb_typeof(data::jsonb -> '${part}') = 'object' and data::jsonb #> '{${part},version}' is null`,
  ),
];

/** Turns the schema of the former migrations into the baseline, whose functions replace the former ones. */
export async function upFromFormer(db: Kysely<unknown>): Promise<void> {
  const functions = STATEMENTS.filter((statement) => statement.startsWith('create or replace function'));
  const dropped = FORMER_OBJECTS.map((object) => `drop ${object}`);
  const statements = [...dropped, ...functions, FOLDER_COUNTS_FORGET, ...COMPLETE_ROWS];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
