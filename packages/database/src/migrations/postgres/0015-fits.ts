import { type Kysely, sql } from 'kysely';

/**
 * Items that are made from others to fit a target (`fitted_from`, whose item may be gone), and those that are still to be made. The
 * lowest `turn` comes next, and a workspace's jobs have turns one after the other, so that workspaces take turns. Nobody but the
 * owner of its lease takes a job before `free_at`, when a lease ends too. The triggers keep a job to its item's workspace and
 * to the time that the item is `processing`, also between two
 * transactions: the first locks the item's row as the last does.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `alter table media add column fitted_from uuid`,

  `create table fits (
    media_id uuid primary key references media (id) on delete cascade,
    workspace_id uuid not null,
    target text not null,
    how text not null check (how in ('pad', 'crop')),
    turn bigint not null check (turn >= 0),
    free_at bigint not null,
    claims bigint not null check (claims >= 0),
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null)),
    check (lease_until is null or lease_until = free_at)
  )`,
  `create index fits_turns on fits (turn, media_id)`,
  `create index fits_leased on fits (lease_owner) where lease_owner is not null`,
  `create index fits_of_workspaces on fits (workspace_id, turn)`,

  `create function fits_begin() returns trigger language plpgsql as $$
    begin
      perform 1 from media
      where id = new.media_id and workspace_id = new.workspace_id and status = 'processing' and fitted_from is not null
      for share;
      if not found then
        raise exception 'a fit needs a processing item of its workspace' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger fits_begin before insert on fits
    for each row execute function fits_begin()`,

  `create function fits_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'a fit stays with its item' using errcode = 'check_violation';
    end
  $$`,
  `create trigger fits_keys before update of media_id, workspace_id on fits
    for each row when ((new.media_id, new.workspace_id) is distinct from (old.media_id, old.workspace_id))
    execute function fits_keys()`,

  `create function media_fit_end() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from fits where media_id = old.id) then
        raise exception 'the fit of this item has not ended' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger media_fit_end before update of id, workspace_id, status on media
    for each row when ((new.id, new.workspace_id, new.status) is distinct from (old.id, old.workspace_id, old.status))
    execute function media_fit_end()`,
];
