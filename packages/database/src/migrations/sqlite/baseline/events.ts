type Row = 'new' | 'old';

/**
 * Whether changes of a row become events: they do while a stream listens to the row's workspace, or if the workspace
 * has webhooks.
 *
 * @param otherReasons further columns of a workspace; changes are also recorded if one of them is set
 */
const isRecorded = (row: Row, otherReasons: readonly string[]): string =>
  `exists (select 1 from workspaces
    where id = ${row}.workspace_id and removal_begun_at is null and (
      ${['listened_until', ...otherReasons].map((column) => `${column} is not null or `).join('')}exists (select 1 from webhooks where webhooks.workspace_id = workspaces.id)
    ))`;

const record = (kind: string, row: Row, before: string): string =>
  `insert into resource_changes values (${row}.id, ${row}.workspace_id, '${kind}', ${before})
    on conflict do nothing;`;

const triggersOf = (table: 'folders' | 'posts', kind: string): readonly string[] => [
  `create trigger ${table}_added after insert on ${table} when ${isRecorded('new', [])} begin
    ${record(kind, 'new', 'null')}
  end`,
  `create trigger ${table}_changed after update on ${table} when ${isRecorded('new', [])} begin
    ${record(kind, 'new', "'there'")}
  end`,
  `create trigger ${table}_removed after delete on ${table} when ${isRecorded('old', [])} begin
    ${record(kind, 'old', "'there'")}
  end`,
];

/** The columns of an item that an event shows. */
const SHOWN = [
  ...['status', 'name', 'full_name', 'label', 'alt_text', 'folder_id'],
  ...['size', 'width', 'height', 'time', 'error_message', 'updated_at'],
];
const shownOf = (row: Row): string => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;

/**
 * In a workspace with a quota, changes of media may cross a threshold, which causes an event even if no stream is open.
 */
const isItemRecorded = (row: Row): string => isRecorded(row, ['max_bytes', 'max_items']);

const recordItemOfCover = (row: Row): string =>
  `insert into resource_changes select id, workspace_id, 'media', status from media where id = ${row}.cover_of
    on conflict do nothing;`;

/** Events, and the webhooks that they are delivered to. */
export const EVENTS = [
  // Events of media, folders and posts, in the order of the commits. `data`: the resource after the change; null once
  // it may no longer be shown. A position is never used twice, so that no reader misses an event.
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

  // The resources that the current transaction has changed so far, each once. `before`: the status that an item had,
  // `there` for another resource, or null for a new one. At the end of a write these rows become events. A cover is
  // part of its item.
  `create table resource_changes (
    resource_id text primary key,
    workspace_id text not null,
    kind text not null check (kind in ('media', 'folder', 'post')),
    before text
  ) strict, without rowid`,

  // A webhook's `turn` is set while one of its deliveries may be claimed. The webhook with the lowest turn comes next.
  // The webhooks of a workspace have increasing turns, so that workspaces alternate. A webhook without a turn isn't
  // claimed before `due_at` (null: never). This is when its next delivery becomes due, or when the lease of its current
  // delivery (`under_way`) ends. So a claim reads webhooks rather than their many waiting deliveries. `told_after`: the
  // position of the last event before the webhook was created. `removed_at`: set if the webhook is deleted, but some of
  // its deliveries are left.
  `create table webhooks (
    id text primary key,
    workspace_id text not null references workspaces (id),
    url text not null,
    types text,
    enabled integer not null check (enabled in (0, 1)),
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    failing_since integer,
    secret blob not null,
    previous_secret blob,
    previous_until integer,
    created_at integer not null,
    updated_at integer not null,
    told_after integer not null default 0,
    removed_at integer,
    turn integer check (turn >= 0),
    due_at integer,
    under_way text,
    lease_owner text,
    lease_until integer,
    check (enabled = 0 or disabled_reason is null),
    check ((previous_secret is null) = (previous_until is null)),
    check ((lease_owner is null) = (lease_until is null) and (lease_owner is null) = (under_way is null)),
    check (removed_at is null or enabled = 0),
    check (enabled = 1 or (turn is null and due_at is null)),
    check (turn is null or (due_at is not null and under_way is null))
  ) strict`,
  'create index webhooks_latest on webhooks (workspace_id, created_at, id)',
  'create index webhooks_turns on webhooks (turn, id) where turn is not null',
  'create index webhooks_turns_of_workspaces on webhooks (workspace_id, turn) where turn is not null',
  'create index webhooks_due on webhooks (due_at) where turn is null and due_at is not null',
  'create index webhooks_removed on webhooks (removed_at) where removed_at is not null',

  `create table webhook_deliveries (
    id text primary key,
    webhook_id text not null references webhooks (id),
    workspace_id text not null,
    event_id text not null,
    event_type text not null,
    payload text not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    attempts integer not null check (attempts >= 0),
    next_attempt_at integer,
    last_status integer,
    last_error text,
    created_at integer not null,
    ended_at integer,
    check ((status = 'pending') = (next_attempt_at is not null)),
    check ((status = 'pending') = (ended_at is null))
  ) strict`,
  'create index webhook_deliveries_latest on webhook_deliveries (webhook_id, created_at, id)',
  `create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id)
    where next_attempt_at is not null`,
  'create index webhook_deliveries_oldest on webhook_deliveries (created_at) where next_attempt_at is not null',
  'create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null',

  // The position up to which events have become deliveries: one row, or none before the first event.
  `create table fan_out (
    id integer primary key check (id = 1),
    position integer not null
  ) strict`,

  ...triggersOf('folders', 'folder'),
  ...triggersOf('posts', 'post'),
  `create trigger media_added after insert on media when new.cover_of is null and ${isItemRecorded('new')} begin
    ${record('media', 'new', 'null')}
  end`,
  `create trigger media_changed after update of ${SHOWN.join(', ')} on media
    when new.cover_of is null and ${shownOf('new')} is not ${shownOf('old')} and ${isItemRecorded('new')} begin
    ${record('media', 'new', 'old.status')}
  end`,
  `create trigger media_removed after delete on media when old.cover_of is null and ${isItemRecorded('old')} begin
    ${record('media', 'old', 'old.status')}
  end`,
  `create trigger media_cover_added after insert on media when new.cover_of is not null and ${isItemRecorded('new')} begin
    ${recordItemOfCover('new')}
  end`,
  `create trigger media_cover_removed after delete on media when old.cover_of is not null and ${isItemRecorded('old')} begin
    ${recordItemOfCover('old')}
  end`,
];
