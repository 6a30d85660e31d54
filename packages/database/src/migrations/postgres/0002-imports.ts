import { type Kysely, sql } from 'kysely';

/**
 * The queue of URL imports. A job is free and due at `due_at`, or under the lease of `lease_owner` until `lease_until`.
 * The triggers keep a job to its item's workspace and to the time that the item is `processing`, also between two
 * transactions: the first locks the item's row as the last does.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table imports (
    media_id uuid primary key references media (id) on delete cascade,
    workspace_id uuid not null references workspaces (id),
    url text not null,
    attempts integer not null check (attempts >= 0),
    claims integer not null check (claims >= 0),
    added_at bigint not null,
    due_at bigint,
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null)),
    check ((lease_owner is null) = (due_at is not null))
  )`,
  // Every free job, by workspace, the longest due first; every lease, by workspace and by its end.
  `create index imports_due on imports (workspace_id, due_at, media_id) where due_at is not null`,
  `create index imports_leased on imports (workspace_id) where lease_owner is not null`,
  `create index imports_lease_end on imports (lease_until) where lease_until is not null`,
  `create index imports_added on imports (added_at)`,

  `create function imports_begin() returns trigger language plpgsql as $$
    begin
      perform 1 from media
      where id = new.media_id and workspace_id = new.workspace_id and status = 'processing'
      for share;
      if not found then
        raise exception 'an import needs a processing item of its workspace' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger imports_begin before insert on imports
    for each row execute function imports_begin()`,

  `create function imports_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'an import stays with its item' using errcode = 'check_violation';
    end
  $$`,
  `create trigger imports_keys before update of media_id, workspace_id on imports
    for each row when ((new.media_id, new.workspace_id) is distinct from (old.media_id, old.workspace_id))
    execute function imports_keys()`,

  `create function media_import_end() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from imports where media_id = old.id) then
        raise exception 'the import of this item has not ended' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger media_import_end before update of id, workspace_id, status on media
    for each row when ((new.id, new.workspace_id, new.status) is distinct from (old.id, old.workspace_id, old.status))
    execute function media_import_end()`,
];
