import { type Kysely, sql } from 'kysely';

/**
 * Presigned uploads that wait for their file. A ticket is free, or under the lease of `lease_owner` until
 * `lease_until`. The triggers keep a ticket to its item and to the time that the item is `temporary`, also between two
 * transactions: the first locks the item's row as the last does.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table presigned_uploads (
    media_id uuid primary key references media (id) on delete cascade,
    size bigint not null check (size > 0),
    type text not null,
    expires_at bigint not null check (expires_at % 1000 = 0),
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null))
  )`,
  `create index presigned_uploads_expiry on presigned_uploads (expires_at, media_id)`,

  `create function presigned_uploads_begin() returns trigger language plpgsql as $$
    begin
      perform 1 from media where id = new.media_id and status = 'temporary' for share;
      if not found then
        raise exception 'a presigned upload needs a temporary item' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger presigned_uploads_begin before insert on presigned_uploads
    for each row execute function presigned_uploads_begin()`,

  `create function presigned_uploads_keys() returns trigger language plpgsql as $$
    begin
      raise exception 'a presigned upload stays with its item' using errcode = 'check_violation';
    end
  $$`,
  `create trigger presigned_uploads_keys before update of media_id on presigned_uploads
    for each row when (new.media_id is distinct from old.media_id)
    execute function presigned_uploads_keys()`,

  `create function media_presigned_upload_end() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from presigned_uploads where media_id = old.id) then
        raise exception 'the presigned upload of this item has not ended' using errcode = 'check_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger media_presigned_upload_end before update of status on media
    for each row when (new.status is distinct from old.status)
    execute function media_presigned_upload_end()`,
];
