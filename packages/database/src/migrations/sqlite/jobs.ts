import { type Kysely, sql } from 'kysely';

const JOBS = [
  // All kinds of work that continues after a response (`domain/jobs`). A job has one of three states: free, and can be
  // claimed from `due_at` on; under a lease that ends at `due_at`; or failed and kept for operators, with `due_at`
  // null. `workspace_id`: all zeros for a job of the library. `attempts` and `claims`: see `Job`. `reason`: why the job
  // was put back or has failed.
  `create table jobs (
    kind text not null,
    subject_id text not null,
    workspace_id text not null,
    payload text,
    added_at integer not null,
    due_at integer,
    attempts integer not null check (attempts >= 0),
    claims integer not null check (claims >= 0),
    lease_owner text,
    reason text,
    primary key (kind, subject_id),
    check (lease_owner is null or due_at is not null)
  ) strict, without rowid`,
  'create index jobs_due on jobs (kind, workspace_id, due_at)',
  'create index jobs_leased on jobs (kind, workspace_id, due_at) where lease_owner is not null',

  // The order in which workspaces get their turn, for each kind of job: the workspace of the ready row with the lowest
  // `turn` comes next, and its row then gets the highest `turn`. `is_ready`: one of the workspace's jobs may be due;
  // otherwise no job is due before `due_at` (null: there is no job).
  `create table job_turns (
    kind text not null,
    workspace_id text not null,
    due_at integer,
    is_ready integer not null check (is_ready in (0, 1)),
    turn integer not null,
    primary key (kind, workspace_id)
  ) strict, without rowid`,
  'create index job_turns_ready on job_turns (kind, turn, workspace_id) where is_ready = 1',
  'create index job_turns_last on job_turns (kind, turn)',
  'create index job_turns_due on job_turns (kind, due_at) where is_ready = 0 and due_at is not null',

  // The job of an import or a fit is in its item's workspace, and exists exactly as long as the item is `processing`.
  // All jobs of an item are deleted with it.
  `create trigger jobs_begin before insert on jobs
    when new.kind in ('import', 'fit') and not exists (
      select 1 from media
      where id = new.subject_id and workspace_id = new.workspace_id and status = 'processing'
        and (new.kind = 'import' or fitted_from is not null)
    )
    begin
      select raise(abort, 'the job needs a processing item of its workspace');
    end`,
  `create trigger jobs_keys before update of kind, subject_id, workspace_id on jobs
    when (new.kind, new.subject_id, new.workspace_id) is not (old.kind, old.subject_id, old.workspace_id)
    begin
      select raise(abort, 'a job stays with its subject');
    end`,
  `create trigger media_jobs_end before update of id, workspace_id, status on media
    when (new.id, new.workspace_id, new.status) is not (old.id, old.workspace_id, old.status)
      and exists (select 1 from jobs where kind in ('import', 'fit') and subject_id = old.id)
    begin
      select raise(abort, 'the job of this item has not ended');
    end`,
  `create trigger media_jobs_removed after delete on media begin
    delete from jobs where kind in ('import', 'fit', 'cover', 'preview') and subject_id = old.id;
  end`,
];

const COLUMNS = '(kind, subject_id, workspace_id, payload, added_at, due_at, attempts, claims, lease_owner)';

/** Moves the jobs of the former queues, each of which was a table or some columns of one. */
const FORMER_QUEUES = [
  `insert into jobs ${COLUMNS} select 'import', media_id, workspace_id,
    json_object('url', url, 'terms', json_object('sha256', sha256, 'onDuplicate', on_duplicate), 'requestId', request_id),
    added_at, coalesce(due_at, lease_until), attempts, claims, lease_owner from imports`,
  `insert into jobs ${COLUMNS} select 'fit', media_id, workspace_id, json_object('target', target, 'how', how),
    free_at, free_at, 0, claims, lease_owner from fits`,
  `insert into jobs ${COLUMNS} select 'cover', media_id, workspace_id, null, free_at, free_at, 0, claims, null
    from covers_due`,
  `insert into jobs ${COLUMNS} select 'preview', media_id, media.workspace_id, null, due_at, due_at, 0, faults, null
    from previews join media on media.id = media_id where due_at is not null`,
  `insert into jobs ${COLUMNS} select 'delivery', webhook_id, webhooks.workspace_id, null,
    min(webhook_deliveries.created_at), min(next_attempt_at), 0, 0, null
    from webhook_deliveries join webhooks on webhooks.id = webhook_id
    where next_attempt_at is not null and enabled = 1 group by webhook_id`,
  `insert into jobs ${COLUMNS} select 'removal', id, id, null, removal_begun_at, removal_begun_at, 0, 0, null
    from workspaces where removal_begun_at is not null`,
  'insert into job_turns select kind, workspace_id, min(due_at), 0, 0 from jobs group by kind, workspace_id',
  ...['media_import_end', 'media_fit_end'].map((trigger) => `drop trigger ${trigger}`),
  ...['imports', 'fits', 'covers_due'].map((table) => `drop table ${table}`),
  'drop index previews_due',
  ...['due_at', 'faults'].map((column) => `alter table previews drop column ${column}`),
];

const CHECKS_KEPT = 'id, cursor, started_at, checked, missing, finished_at, last_checked, last_missing';

const OBJECT_CHECKS = [
  // The table is recreated without the lease, which is now part of the job.
  `create table object_checks_kept (
    id integer primary key check (id = 1),
    cursor text,
    started_at integer,
    checked integer not null,
    missing integer not null,
    finished_at integer,
    last_checked integer not null,
    last_missing integer not null
  ) strict`,
  `insert into object_checks_kept select ${CHECKS_KEPT} from object_checks`,
  'drop table object_checks',
  'alter table object_checks_kept rename to object_checks',
];

const WEBHOOKS_KEPT =
  'id, workspace_id, url, types, enabled, disabled_reason, failing_since, secret, previous_secret, previous_until, created_at, updated_at, told_after, removed_at';

const WEBHOOKS = [
  // The table is recreated without turns and leases, which are now part of the jobs. Foreign keys are checked only at
  // the commit, because the rows of deliveries refer to this table by its name while it doesn't exist.
  'pragma defer_foreign_keys = on',
  'create table webhooks_kept as select * from webhooks',
  'drop table webhooks',
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
    check (enabled = 0 or disabled_reason is null),
    check ((previous_secret is null) = (previous_until is null)),
    check (removed_at is null or enabled = 0)
  ) strict`,
  `insert into webhooks select ${WEBHOOKS_KEPT} from webhooks_kept`,
  'drop table webhooks_kept',
  'create index webhooks_latest on webhooks (workspace_id, created_at, id)',
  'create index webhooks_removed on webhooks (removed_at) where removed_at is not null',
];

/** Merges seven queues into one: imports, fits, covers, previews, deliveries, object checks, and workspace removals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [JOBS, FORMER_QUEUES, OBJECT_CHECKS, WEBHOOKS].flat()) await sql.raw(statement).execute(db);
}
