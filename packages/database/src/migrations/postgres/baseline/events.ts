import { statementTriggers, triggerFunction } from './triggers.ts';

/**
 * Joins the workspaces whose changes become events: those that a stream listens to, and those with webhooks.
 *
 * @param otherReasons further columns of a workspace; changes are also recorded if one of them is set
 */
const recordedOf = (row: string, otherReasons: readonly string[]): string =>
  `join workspaces on workspaces.id = ${row}.workspace_id and workspaces.removal_begun_at is null and (
          ${['listened_until', ...otherReasons].map((column) => `workspaces.${column} is not null or `).join('')}exists (select from webhooks where webhooks.workspace_id = workspaces.id)
        )`;

const RECORD = 'insert into resource_changes (resource_id, workspace_id, kind, before)';

/** The columns of an item that an event shows. */
const SHOWN = [
  ...['status', 'name', 'full_name', 'label', 'alt_text', 'folder_id'],
  ...['size', 'width', 'height', 'time', 'error_message', 'updated_at'],
];
const shownOf = (row: string): string => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;

/**
 * In a workspace with a quota, changes of media may cross a threshold, which causes an event even if no stream is open.
 */
const RECORDED_ITEM = recordedOf('item', ['max_bytes', 'max_items']);

/** The item is locked, because its event shows its cover. */
const recordItemsOfCovers = (rows: 'added' | 'gone'): string =>
  `if exists (select from ${rows} where cover_of is not null) then
          ${RECORD}
          select item.id, item.workspace_id, 'media', item.status from media as item ${RECORDED_ITEM}
          where item.id in (select cover_of from ${rows} where cover_of is not null)
          order by item.id for no key update of item
          on conflict do nothing;
        end if;`;

/** Events, and the webhooks that they are delivered to. */
export const EVENTS = [
  // Events of media, folders and posts. `data`: the resource after the change; null once it may no longer be shown.
  // Transactions aren't committed in the order of `number`. So events are read by their `position`, which they get
  // after the commit.
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
  // The last position that was assigned to an event. No position is assigned twice.
  `create table event_places (
    id smallint primary key check (id = 1),
    newest bigint not null
  )`,
  'insert into event_places values (1, 0)',

  // The resources that the current transaction has changed so far, each once. `before`: the status that an item had,
  // `there` for another resource, or null for a new one. At the end of a write these rows become events. A cover is
  // part of its item.
  `create table resource_changes (
    xid xid8 not null default pg_current_xact_id(),
    resource_id uuid not null,
    workspace_id uuid not null,
    kind text collate "C" not null check (kind in ('media', 'folder', 'post')),
    before text collate "C",
    primary key (xid, resource_id)
  )`,

  // A webhook's `turn` is set while one of its deliveries may be claimed. The webhook with the lowest turn comes next.
  // The webhooks of a workspace have increasing turns, so that workspaces alternate. A webhook without a turn isn't
  // claimed before `due_at` (null: never). This is when its next delivery becomes due, or when the lease of its current
  // delivery (`under_way`) ends. So a claim reads webhooks rather than their many waiting deliveries. `told_after`: the
  // position of the last event before the webhook was created. `removed_at`: set if the webhook is deleted, but some of
  // its deliveries are left.
  `create table webhooks (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id),
    url text not null,
    types text,
    enabled smallint not null check (enabled in (0, 1)),
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    failing_since bigint,
    secret bytea not null,
    previous_secret bytea,
    previous_until bigint,
    created_at bigint not null,
    updated_at bigint not null,
    told_after bigint not null default 0,
    removed_at bigint,
    turn bigint check (turn >= 0),
    due_at bigint,
    under_way uuid,
    lease_owner text,
    lease_until bigint,
    check (enabled = 0 or disabled_reason is null),
    check ((previous_secret is null) = (previous_until is null)),
    check ((lease_owner is null) = (lease_until is null) and (lease_owner is null) = (under_way is null)),
    check (removed_at is null or enabled = 0),
    check (enabled = 1 or (turn is null and due_at is null)),
    check (turn is null or (due_at is not null and under_way is null))
  )`,
  'create index webhooks_latest on webhooks (workspace_id, created_at, id)',
  'create index webhooks_turns on webhooks (turn, id) where turn is not null',
  'create index webhooks_turns_of_workspaces on webhooks (workspace_id, turn) where turn is not null',
  'create index webhooks_due on webhooks (due_at) where turn is null and due_at is not null',
  'create index webhooks_removed on webhooks (removed_at) where removed_at is not null',

  `create table webhook_deliveries (
    id uuid primary key,
    webhook_id uuid not null references webhooks (id),
    workspace_id uuid not null,
    event_id uuid not null,
    event_type text not null,
    payload text not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    attempts bigint not null check (attempts >= 0),
    next_attempt_at bigint,
    last_status bigint,
    last_error text,
    created_at bigint not null,
    ended_at bigint,
    check ((status = 'pending') = (next_attempt_at is not null)),
    check ((status = 'pending') = (ended_at is null))
  )`,
  'create index webhook_deliveries_latest on webhook_deliveries (webhook_id, created_at, id)',
  `create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, id)
    where next_attempt_at is not null`,
  'create index webhook_deliveries_oldest on webhook_deliveries (created_at) where next_attempt_at is not null',
  'create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null',

  // The position up to which events have become deliveries: one row, or none before the first event.
  `create table fan_out (
    id smallint primary key check (id = 1),
    position bigint not null
  )`,

  triggerFunction(
    'resource_note',
    `if tg_op = 'DELETE' then
        ${RECORD}
        select gone.id, gone.workspace_id, tg_argv[0], 'there' from gone ${recordedOf('gone', [])}
        on conflict do nothing;
      else
        ${RECORD}
        select added.id, added.workspace_id, tg_argv[0], case tg_op when 'UPDATE' then 'there' end
        from added ${recordedOf('added', [])}
        on conflict do nothing;
      end if;
      return null;`,
  ),
  ...statementTriggers(['folders_added', 'folders_removed', 'folders_changed'], 'folders', "resource_note('folder')"),
  ...statementTriggers(['posts_added', 'posts_removed', 'posts_changed'], 'posts', "resource_note('post')"),
  triggerFunction(
    'media_note',
    `if tg_op = 'INSERT' then
        ${RECORD}
        select item.id, item.workspace_id, 'media', null from added as item ${RECORDED_ITEM}
        where item.cover_of is null
        on conflict do nothing;
        ${recordItemsOfCovers('added')}
      elsif tg_op = 'DELETE' then
        ${RECORD}
        select item.id, item.workspace_id, 'media', item.status from gone as item ${RECORDED_ITEM}
        where item.cover_of is null
        on conflict do nothing;
        ${recordItemsOfCovers('gone')}
      else
        ${RECORD}
        select item.id, item.workspace_id, 'media', was.status
        from added as item join gone as was on was.id = item.id ${RECORDED_ITEM}
        where item.cover_of is null and ${shownOf('item')} is distinct from ${shownOf('was')}
        on conflict do nothing;
      end if;
      return null;`,
  ),
  ...statementTriggers(['media_added', 'media_removed', 'media_changed'], 'media', 'media_note()'),
];
