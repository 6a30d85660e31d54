import { type Kysely, sql } from 'kysely';

/**
 * The outbox. `events`: what is told of each change of media, folders and posts; `data` is null once there is nothing
 * left to show. Transactions are not committed in the order of `number`, so an event gets its `position`, by which it is
 * read, after its commit; the last one given is in `event_places`, and none is given again.
 *
 * `resource_changes`: what a transaction under way has changed so far, each resource once, with what it was at first
 * (`before`: the status of an item, `there`, or null: nothing). Triggers write them, so no write of any program is
 * missed; at the end of a write they become events. Of a workspace that is being removed nothing is noted. A cover is
 * part of its item.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const SHOWN = [
  ...['status', 'name', 'full_name', 'label', 'alt_text', 'folder_id'],
  ...['size', 'width', 'height', 'time', 'error_message', 'updated_at'],
];
const shownOf = (row: string): string => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;

const NOTE = 'insert into resource_changes (resource_id, workspace_id, kind, before)';
const kept = (row: string): string =>
  `join workspaces on workspaces.id = ${row}.workspace_id and workspaces.removal_begun_at is null`;

/** Locked, as what is told of the item depends on its cover. */
const noteItemsOf = (rows: 'added' | 'gone', noted: (row: string) => string): string =>
  `if exists (select from ${rows} where cover_of is not null) then
    ${NOTE}
    select item.id, item.workspace_id, 'media', item.status from media as item ${noted('item')}
    where item.id in (select cover_of from ${rows} where cover_of is not null)
    order by item.id for no key update of item
    on conflict do nothing;
  end if`;

const triggersOf = (table: string, made: string): string[] => [
  `create trigger ${table}_added after insert on ${table} referencing new table as added
    for each statement execute function ${made}`,
  `create trigger ${table}_changed after update on ${table} referencing old table as gone new table as added
    for each statement execute function ${made}`,
  `create trigger ${table}_removed after delete on ${table} referencing old table as gone
    for each statement execute function ${made}`,
];

/** @param noted joins the workspaces whose changes are noted */
export const mediaNote = (create: string, noted: (row: string) => string): string =>
  `${create} media_note() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${NOTE}
        select item.id, item.workspace_id, 'media', null from added as item ${noted('item')}
        where item.cover_of is null
        on conflict do nothing;
        ${noteItemsOf('added', noted)};
      elsif tg_op = 'DELETE' then
        ${NOTE}
        select item.id, item.workspace_id, 'media', item.status from gone as item ${noted('item')}
        where item.cover_of is null
        on conflict do nothing;
        ${noteItemsOf('gone', noted)};
      else
        ${NOTE}
        select item.id, item.workspace_id, 'media', was.status
        from added as item join gone as was on was.id = item.id ${noted('item')}
        where item.cover_of is null and ${shownOf('item')} is distinct from ${shownOf('was')}
        on conflict do nothing;
      end if;
      return null;
    end
  $$`;

/** As {@link mediaNote}. */
export const notingFunctions = (create: string, noted: (row: string) => string): string[] => [
  mediaNote(create, noted),
  `${create} resource_note() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        ${NOTE}
        select gone.id, gone.workspace_id, tg_argv[0], 'there' from gone ${noted('gone')}
        on conflict do nothing;
      else
        ${NOTE}
        select added.id, added.workspace_id, tg_argv[0], case tg_op when 'UPDATE' then 'there' end
        from added ${noted('added')}
        on conflict do nothing;
      end if;
      return null;
    end
  $$`,
];

const STATEMENTS = [
  `create table events (
    number bigint generated always as identity,
    position bigint,
    id uuid primary key,
    workspace_id uuid not null,
    resource_id uuid not null,
    type text collate "C" not null,
    at bigint not null,
    data text
  )`,
  'create unique index events_unplaced on events (number) where position is null',
  'create unique index events_placed on events (position) where position is not null',
  'create index events_of_workspace on events (workspace_id, position)',
  'create index events_of_resource on events (resource_id, at)',
  'create index events_oldest on events (at)',
  `create table event_places (
    id smallint primary key check (id = 1),
    newest bigint not null
  )`,
  'insert into event_places values (1, 0)',

  `create table resource_changes (
    xid xid8 not null default pg_current_xact_id(),
    resource_id uuid not null,
    workspace_id uuid not null,
    kind text collate "C" not null check (kind in ('media', 'folder', 'post')),
    before text collate "C",
    primary key (xid, resource_id)
  )`,
  ...notingFunctions('create function', kept),
  ...triggersOf('media', 'media_note()'),
  ...triggersOf('folders', "resource_note('folder')"),
  ...triggersOf('posts', "resource_note('post')"),
];
