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
    id smallint primary key check (id = 1),
    current text,
    previous text,
    moved_to text,
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null))
  )`,
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
];
