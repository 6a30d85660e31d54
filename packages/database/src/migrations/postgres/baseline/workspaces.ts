/** Workspaces, their quotas and usage, and their removal. */
export const WORKSPACES = [
  // `removal_begun_at`: from then on, only the removal sees the workspace. `strip_location`: null means the service's
  // default. `listened_until`: until then, changes are recorded as events, so that a stream that was open within the
  // last day can resume; in a workspace with webhooks, changes are always recorded. `link_key`: links are signed with
  // this key and the service's secret.
  `create table workspaces (
    id uuid primary key,
    name text not null,
    timezone text not null,
    created_at bigint not null,
    removal_begun_at bigint,
    strip_location smallint check (strip_location in (0, 1)),
    listened_until bigint,
    max_bytes bigint check (max_bytes >= 0),
    max_items bigint check (max_items >= 0),
    links text not null default 'public' check (links in ('public', 'signed')),
    link_key uuid
  )`,
  'create index workspaces_newest on workspaces (created_at, id)',
  'create index workspaces_removed on workspaces (removal_begun_at) where removal_begun_at is not null',
  'create index workspaces_listened on workspaces (listened_until) where listened_until is not null',

  // For each removed workspace, how much has been deleted so far: counts as a JSON object, to which each step of the
  // removal adds.
  `create table removals (
    workspace_id uuid primary key,
    begun_at bigint not null,
    ended_at bigint,
    counts text not null
  )`,

  // The audit log of who did what. It has no foreign keys, because entries outlive the rows that they name. `counts` is
  // a JSON object.
  `create table audit (
    id uuid primary key,
    at bigint not null,
    token_id uuid,
    action text not null,
    subject_id uuid,
    workspace_id uuid,
    address text,
    counts text,
    person_id uuid
  )`,
  'create index audit_latest on audit (at, id)',
  'create index audit_of_workspaces on audit (workspace_id, at, id) where workspace_id is not null',
  'create index audit_of_tokens on audit (token_id, at, id) where token_id is not null',
];
