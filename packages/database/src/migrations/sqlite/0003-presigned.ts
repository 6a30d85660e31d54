import { type Kysely, sql } from 'kysely';

/**
 * Presigned uploads that wait for their file. A ticket is free, or under the lease of `lease_owner` until
 * `lease_until`. The triggers keep a ticket to its item and to the time that the item is `temporary`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table presigned_uploads (
    media_id text primary key references media (id) on delete cascade,
    size integer not null check (size > 0),
    type text not null,
    expires_at integer not null check (expires_at % 1000 = 0),
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null))
  ) strict`,
  `create index presigned_uploads_expiry on presigned_uploads (expires_at, media_id)`,

  `create trigger presigned_uploads_begin before insert on presigned_uploads
    when not exists (select 1 from media where id = new.media_id and status = 'temporary')
    begin
      select raise(abort, 'a presigned upload needs a temporary item');
    end`,
  `create trigger presigned_uploads_keys before update of media_id on presigned_uploads
    when new.media_id is not old.media_id
    begin
      select raise(abort, 'a presigned upload stays with its item');
    end`,
  `create trigger media_presigned_upload_end before update of status on media
    when new.status is not old.status
      and exists (select 1 from presigned_uploads where media_id = old.id)
    begin
      select raise(abort, 'the presigned upload of this item has not ended');
    end`,
];
