/** Items that wait for their file: imports, presigned and resumable uploads, and fits. */
export const UPLOADS = [
  // The queue of URL imports. A job is free and due at `due_at`, or it is under the lease of `lease_owner` until
  // `lease_until`. `request_id`: the id of the request that started the import; every process includes it in its log
  // lines about the import.
  `create table imports (
    media_id text primary key references media (id) on delete cascade,
    workspace_id text not null references workspaces (id),
    url text not null,
    attempts integer not null check (attempts >= 0),
    claims integer not null check (claims >= 0),
    added_at integer not null,
    due_at integer,
    lease_owner text,
    lease_until integer,
    sha256 text,
    on_duplicate text not null default 'keep' check (on_duplicate in ('keep', 'return')),
    request_id text,
    check ((lease_owner is null) = (lease_until is null)),
    check ((lease_owner is null) = (due_at is not null))
  ) strict`,
  // The indexes find the free jobs of a workspace, the longest due first, and leases by workspace and by their end.
  'create index imports_due on imports (workspace_id, due_at, media_id) where due_at is not null',
  'create index imports_leased on imports (workspace_id) where lease_owner is not null',
  'create index imports_lease_end on imports (lease_until) where lease_until is not null',
  'create index imports_added on imports (added_at)',
  // A job is in its item's workspace, and exists exactly as long as the item is `processing`.
  `create trigger imports_begin before insert on imports
    when not exists (
      select 1 from media
      where id = new.media_id and workspace_id = new.workspace_id and status = 'processing'
    )
    begin
      select raise(abort, 'an import needs a processing item of its workspace');
    end`,
  `create trigger imports_keys before update of media_id, workspace_id on imports
    when (new.media_id, new.workspace_id) is not (old.media_id, old.workspace_id)
    begin
      select raise(abort, 'an import stays with its item');
    end`,
  `create trigger media_import_end before update of id, workspace_id, status on media
    when (new.id, new.workspace_id, new.status) is not (old.id, old.workspace_id, old.status)
      and exists (select 1 from imports where media_id = old.id)
    begin
      select raise(abort, 'the import of this item has not ended');
    end`,

  // Presigned uploads that wait for their file. `sha256`: the hash that the client declared.
  `create table presigned_uploads (
    media_id text primary key references media (id) on delete cascade,
    size integer not null check (size > 0),
    type text not null,
    expires_at integer not null check (expires_at % 1000 = 0),
    lease_owner text,
    lease_until integer,
    sha256 text,
    on_duplicate text not null default 'keep' check (on_duplicate in ('keep', 'return')),
    check ((lease_owner is null) = (lease_until is null))
  ) strict`,
  'create index presigned_uploads_expiry on presigned_uploads (expires_at, media_id)',
  // A presigned upload exists exactly as long as its item is `temporary`.
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

  // Resumable uploads, and the pieces of each that have been received.
  `create table resumable_uploads (
    media_id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    size integer not null check (size > 0),
    received integer not null check (received between 0 and size),
    metadata text not null,
    last_byte_at integer not null
  ) strict, without rowid`,
  'create index resumable_uploads_of_workspaces on resumable_uploads (workspace_id)',
  'create index resumable_uploads_oldest on resumable_uploads (last_byte_at)',
  `create table resumable_pieces (
    media_id text not null references resumable_uploads (media_id) on delete cascade,
    start integer not null,
    size integer not null check (size > 0),
    name text not null,
    primary key (media_id, start)
  ) strict, without rowid`,

  // Covers that are still to be made. The job with the lowest `turn` comes next; the jobs of a workspace have increasing
  // turns, so that workspaces take turns. No job is claimed before `free_at`.
  `create table covers_due (
    media_id text primary key references media (id) on delete cascade,
    workspace_id text not null,
    turn integer not null check (turn >= 0),
    free_at integer not null,
    claims integer not null check (claims >= 0)
  ) strict`,
  'create index covers_due_turns on covers_due (turn, media_id)',
  'create index covers_due_of_workspaces on covers_due (workspace_id, turn)',

  // Items to be made from other items to fit a target, in turns like covers. Only the owner of a job's lease works on
  // it before `free_at`, when the lease ends.
  `create table fits (
    media_id text primary key references media (id) on delete cascade,
    workspace_id text not null,
    target text not null,
    how text not null check (how in ('pad', 'crop')),
    turn integer not null check (turn >= 0),
    free_at integer not null,
    claims integer not null check (claims >= 0),
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null)),
    check (lease_until is null or lease_until = free_at)
  ) strict`,
  'create index fits_turns on fits (turn, media_id)',
  'create index fits_leased on fits (lease_owner) where lease_owner is not null',
  'create index fits_of_workspaces on fits (workspace_id, turn)',
  // A job is in its item's workspace, and exists exactly as long as the item is `processing`.
  `create trigger fits_begin before insert on fits
    when not exists (
      select 1 from media
      where id = new.media_id and workspace_id = new.workspace_id and status = 'processing'
        and fitted_from is not null
    )
    begin
      select raise(abort, 'a fit needs a processing item of its workspace');
    end`,
  `create trigger fits_keys before update of media_id, workspace_id on fits
    when (new.media_id, new.workspace_id) is not (old.media_id, old.workspace_id)
    begin
      select raise(abort, 'a fit stays with its item');
    end`,
  `create trigger media_fit_end before update of id, workspace_id, status on media
    when (new.id, new.workspace_id, new.status) is not (old.id, old.workspace_id, old.status)
      and exists (select 1 from fits where media_id = old.id)
    begin
      select raise(abort, 'the fit of this item has not ended');
    end`,
];
