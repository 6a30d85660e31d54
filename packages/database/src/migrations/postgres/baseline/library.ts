/** The library as a whole: its identity, and the state of its storage. */
export const LIBRARY = [
  // One row, or none before the first start. `restored_at` is set while the rows are those of a backup and no operator
  // has confirmed that objects without a row may be removed. `backed_up_at`, `verified_at`: when the last complete
  // backup and the last `verify` without a problem began.
  `create table library (
    id uuid primary key,
    born_at bigint not null,
    generation bigint not null check (generation >= 0),
    restored_at bigint,
    storage_marked_at bigint,
    secret_fingerprint text,
    backed_up_at bigint,
    verified_at bigint
  )`,
  'create unique index library_is_one on library ((id is not null))',

  // The fence: one row, or none before the first change. The fence in the storage's mark is `current` or `previous`; if
  // it is neither, another copy of the database uses the storage.
  `create table fence (
    id smallint primary key check (id = 1),
    current text,
    previous text,
    moved_to text,
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null))
  )`,

  // Objects and uploads whose rows have been deleted; they stay in this table until they are purged.
  `create table deletions (
    id uuid not null,
    is_upload smallint not null check (is_upload in (0, 1)),
    full_name text,
    deleted_at bigint not null,
    primary key (id, is_upload),
    check ((is_upload = 1) = (full_name is null))
  )`,
  'create unique index deletions_full_name on deletions (full_name)',
  'create index deletions_oldest on deletions (deleted_at, id, is_upload)',

  // The progress of the check that every item has its object: one row, or none before the first check. `started_at` is
  // set during a pass, which has checked the items up to `cursor` in the order of their ids. The `last_` columns
  // describe the previous pass.
  `create table object_checks (
    id integer primary key check (id = 1),
    cursor uuid,
    started_at bigint,
    checked bigint not null,
    missing bigint not null,
    finished_at bigint,
    last_checked bigint not null,
    last_missing bigint not null,
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null))
  )`,
];
