import { type Kysely, sql } from 'kysely';

/**
 * The outbox. `events`: what is told of each change of media, folders and posts, in the order of the commits; `data` is
 * null once there is nothing left to show. Positions are never used again, so that no reader misses one.
 *
 * `resource_changes`: what the transaction under way has changed so far, each resource once, with what it was at first
 * (`before`: the status of an item, `there`, or null: nothing). Triggers write them, so no write of any program is
 * missed; at the end of a write they become events. Of a workspace that is being removed nothing is noted. A cover is
 * part of its item.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const note = (kind: string, row: 'new' | 'old', before: string): string =>
  `insert into resource_changes values (${row}.id, ${row}.workspace_id, '${kind}', ${before})
    on conflict do nothing;`;

/** Whether changes of a row's workspace are noted. */
type Condition = (row: 'new' | 'old') => string;

const isKept: Condition = (row) => `(select removal_begun_at from workspaces where id = ${row}.workspace_id) is null`;

const noteItemOf = (row: 'new' | 'old'): string =>
  `insert into resource_changes select id, workspace_id, 'media', status from media where id = ${row}.cover_of
    on conflict do nothing;`;

const SHOWN = [
  ...['status', 'name', 'full_name', 'label', 'alt_text', 'folder_id'],
  ...['size', 'width', 'height', 'time', 'error_message', 'updated_at'],
];
const shownOf = (row: string): string => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;

const triggersOf = (table: 'folders' | 'posts', kind: string, isNoted: Condition): string[] => [
  `create trigger ${table}_added after insert on ${table} when ${isNoted('new')} begin ${note(kind, 'new', 'null')} end`,
  `create trigger ${table}_changed after update on ${table} when ${isNoted('new')} begin
    ${note(kind, 'new', "'there'")}
  end`,
  `create trigger ${table}_removed after delete on ${table} when ${isNoted('old')} begin
    ${note(kind, 'old', "'there'")}
  end`,
];

export const mediaTriggers = (isNoted: Condition): string[] => [
  `create trigger media_added after insert on media when new.cover_of is null and ${isNoted('new')} begin
    ${note('media', 'new', 'null')}
  end`,
  `create trigger media_changed after update of ${SHOWN.join(', ')} on media
    when new.cover_of is null and ${shownOf('new')} is not ${shownOf('old')} and ${isNoted('new')} begin
    ${note('media', 'new', 'old.status')}
  end`,
  `create trigger media_removed after delete on media when old.cover_of is null and ${isNoted('old')} begin
    ${note('media', 'old', 'old.status')}
  end`,
  `create trigger media_cover_added after insert on media when new.cover_of is not null and ${isNoted('new')} begin
    ${noteItemOf('new')}
  end`,
  `create trigger media_cover_removed after delete on media when old.cover_of is not null and ${isNoted('old')} begin
    ${noteItemOf('old')}
  end`,
];

export const notingTriggers = (isNoted: Condition): string[] => [
  ...mediaTriggers(isNoted),
  ...triggersOf('folders', 'folder', isNoted),
  ...triggersOf('posts', 'post', isNoted),
];

const STATEMENTS = [
  `create table events (
    position integer primary key autoincrement,
    id text not null unique,
    workspace_id text not null,
    resource_id text not null,
    type text not null,
    at integer not null,
    data text
  ) strict`,
  'create index events_of_workspace on events (workspace_id, position)',
  'create index events_of_resource on events (resource_id, at)',
  'create index events_oldest on events (at)',

  `create table resource_changes (
    resource_id text primary key,
    workspace_id text not null,
    kind text not null check (kind in ('media', 'folder', 'post')),
    before text
  ) strict, without rowid`,
  ...notingTriggers(isKept),
];
