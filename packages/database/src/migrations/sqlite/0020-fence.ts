import { type Kysely, sql } from 'kysely';

/**
 * `fence`: one row, or none before the first change; a storage's mark holds `current` or `previous`, unless another
 * copy of the database uses the storage. `deletions`: objects and uploads whose rows are gone, until they are destroyed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table fence (
    id integer primary key check (id = 1),
    current text,
    previous text,
    moved_to text,
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null))
  ) strict`,
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
];
