import { type Kysely, sql } from 'kysely';

/**
 * Webhooks and what is delivered to them. A webhook's `turn` is set while a delivery of it may be claimed: the lowest comes
 * next, and a workspace's webhooks have turns one after the other, so that workspaces take turns. Otherwise nothing of it
 * is claimed before `due_at` (null: never), when its next delivery is due, or the lease of the one under way ends. So a claim
 * reads webhooks, not the many deliveries that wait.
 *
 * `told_after`: a place in this database's outbox; events up to it are older than the webhook. `removed_at`: its deliveries are
 * still to be deleted. `fan_out`: one row, or none before the first event; the place up to which there are deliveries.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
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

  `create table fan_out (
    id smallint primary key check (id = 1),
    position bigint not null
  )`,
];
