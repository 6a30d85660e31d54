/** The library as a whole: its identity, and the state of its storage. */
export const LIBRARY = [
  // One row, or none before the first start. `restored_at` is set while the rows are those of a backup and no operator
  // has confirmed that objects without a row may be removed. `backed_up_at`, `verified_at`: when the last complete
  // backup and the last `verify` without a problem began.
  `create table library (
    id text primary key,
    born_at integer not null,
    generation integer not null check (generation >= 0),
    restored_at integer,
    storage_marked_at integer,
    secret_fingerprint text,
    backed_up_at integer,
    verified_at integer
  ) strict`,
  'create unique index library_is_one on library ((id is not null))',

  // The fence: one row, or none before the first change. The fence in the storage's mark is `current` or `previous`; if
  // it is neither, another copy of the database uses the storage.
  `create table fence (
    id integer primary key check (id = 1),
    current text,
    previous text,
    moved_to text,
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null))
  ) strict`,

  // Objects and uploads whose rows have been deleted; they stay in this table until they are purged.
  `create table deletions (
    id text not null,
    is_upload integer not null check (is_upload in (0, 1)),
    full_name text,
    deleted_at integer not null,
    primary key (id, is_upload),
    check ((is_upload = 1) = (full_name is null))
  ) strict`,
  'create unique index deletions_full_name on deletions (full_name)',
  'create index deletions_oldest on deletions (deleted_at, id, is_upload)',

  // The progress of the check that every item has its object: one row, or none before the first check. `started_at` is
  // set during a pass, which has checked the items up to `cursor` in the order of their ids. The `last_` columns
  // describe the previous pass.
  `create table object_checks (
    id integer primary key check (id = 1),
    cursor text,
    started_at integer,
    checked integer not null,
    missing integer not null,
    finished_at integer,
    last_checked integer not null,
    last_missing integer not null,
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null))
  ) strict`,
];
