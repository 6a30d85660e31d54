import { type Kysely, sql } from 'kysely';
import { refusal, triggerFunction } from './baseline/triggers.ts';

const JOBS = [
  // All kinds of work that continues after a response (`domain/jobs`). A job has one of three states: free, and can be
  // claimed from `due_at` on; under a lease that ends at `due_at`; or failed and kept for operators, with `due_at`
  // null. `workspace_id`: all zeros for a job of the library. `attempts` and `claims`: see `Job`. `reason`: why the job
  // was put back or has failed.
  `create table jobs (
    kind text collate "C" not null,
    subject_id uuid not null,
    workspace_id uuid not null,
    payload text,
    added_at bigint not null,
    due_at bigint,
    attempts bigint not null check (attempts >= 0),
    claims bigint not null check (claims >= 0),
    lease_owner text,
    reason text,
    primary key (kind, subject_id),
    check (lease_owner is null or due_at is not null)
  )`,
  'create index jobs_due on jobs (kind, workspace_id, due_at)',
  'create index jobs_leased on jobs (kind, workspace_id, due_at) where lease_owner is not null',

  // The order in which workspaces get their turn, for each kind of job: the workspace of the ready row with the lowest
  // `turn` comes next, and its row then gets the highest `turn`. `is_ready`: one of the workspace's jobs may be due;
  // otherwise no job is due before `due_at` (null: there is no job).
  `create table job_turns (
    kind text collate "C" not null,
    workspace_id uuid not null,
    due_at bigint,
    is_ready smallint not null check (is_ready in (0, 1)),
    turn bigint not null,
    primary key (kind, workspace_id)
  )`,
  'create index job_turns_ready on job_turns (kind, turn, workspace_id) where is_ready = 1',
  'create index job_turns_last on job_turns (kind, turn)',
  'create index job_turns_due on job_turns (kind, due_at) where is_ready = 0 and due_at is not null',

  // The job of an import or a fit is in its item's workspace, and exists exactly as long as the item is `processing`.
  // The item's row is locked, so that concurrent transactions can't break this rule. All jobs of an item are deleted
  // with it.
  triggerFunction(
    'jobs_begin',
    `perform 1 from media
      where id = new.subject_id and workspace_id = new.workspace_id and status = 'processing'
        and (new.kind = 'import' or fitted_from is not null)
      for share;
      if not found then
        raise exception 'the job needs a processing item of its workspace' using errcode = 'check_violation';
      end if;
      return new;`,
  ),
  `create trigger jobs_begin before insert on jobs
    for each row when (new.kind in ('import', 'fit')) execute function jobs_begin()`,
  refusal('jobs_keys', 'a job stays with its subject'),
  `create trigger jobs_keys before update of kind, subject_id, workspace_id on jobs
    for each row when ((new.kind, new.subject_id, new.workspace_id) is distinct from (old.kind, old.subject_id, old.workspace_id)) execute function jobs_keys()`,
  triggerFunction(
    'media_jobs_end',
    `if exists (select 1 from jobs where kind in ('import', 'fit') and subject_id = old.id) then
        raise exception 'the job of this item has not ended' using errcode = 'check_violation';
      end if;
      return new;`,
  ),
  `create trigger media_jobs_end before update of id, workspace_id, status on media
    for each row when ((new.id, new.workspace_id, new.status) is distinct from (old.id, old.workspace_id, old.status)) execute function media_jobs_end()`,
  triggerFunction(
    'media_jobs_removed',
    `delete from jobs where kind in ('import', 'fit', 'cover', 'preview') and subject_id = old.id;
      return null;`,
  ),
  'create trigger media_jobs_removed after delete on media for each row execute function media_jobs_removed()',
];

const COLUMNS = '(kind, subject_id, workspace_id, payload, added_at, due_at, attempts, claims, lease_owner)';

/** Moves the jobs of the former queues, each of which was a table or some columns of one. */
const FORMER_QUEUES = [
  `insert into jobs ${COLUMNS} select 'import', media_id, workspace_id,
    json_build_object('url', url, 'terms', json_build_object('sha256', sha256, 'onDuplicate', on_duplicate), 'requestId', request_id)::text,
    added_at, coalesce(due_at, lease_until), attempts, claims, lease_owner from imports`,
  `insert into jobs ${COLUMNS} select 'fit', media_id, workspace_id, json_build_object('target', target, 'how', how)::text,
    free_at, free_at, 0, claims, lease_owner from fits`,
  `insert into jobs ${COLUMNS} select 'cover', media_id, workspace_id, null, free_at, free_at, 0, claims, null
    from covers_due`,
  `insert into jobs ${COLUMNS} select 'preview', media_id, media.workspace_id, null, due_at, due_at, 0, faults, null
    from previews join media on media.id = media_id where due_at is not null`,
  `insert into jobs ${COLUMNS} select 'delivery', webhook_id, webhooks.workspace_id, null,
    min(webhook_deliveries.created_at), min(next_attempt_at), 0, 0, null
    from webhook_deliveries join webhooks on webhooks.id = webhook_id
    where next_attempt_at is not null and enabled = 1 group by webhook_id, webhooks.workspace_id`,
  `insert into jobs ${COLUMNS} select 'removal', id, id, null, removal_begun_at, removal_begun_at, 0, 0, null
    from workspaces where removal_begun_at is not null`,
  'insert into job_turns select kind, workspace_id, min(due_at), 0, 0 from jobs group by kind, workspace_id',
  ...['media_import_end', 'media_fit_end'].map((trigger) => `drop trigger ${trigger} on media`),
  ...['imports', 'fits', 'covers_due'].map((table) => `drop table ${table}`),
  ...['imports_begin', 'imports_keys', 'media_import_end', 'fits_begin', 'fits_keys', 'media_fit_end'].map(
    (name) => `drop function ${name}()`,
  ),
  'alter table previews drop column due_at, drop column faults',
  'alter table object_checks drop column lease_owner, drop column lease_until',
  `alter table webhooks ${['turn', 'due_at', 'under_way', 'lease_owner', 'lease_until'].map((column) => `drop column ${column}`).join(', ')}`,
];

/** Merges seven queues into one: imports, fits, covers, previews, deliveries, object checks, and workspace removals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [JOBS, FORMER_QUEUES].flat()) await sql.raw(statement).execute(db);
}
