import { type Kysely, sql } from 'kysely';

/**
 * How far the look through all objects has come: one row, or none before the first. `started_at` is set while a pass is under
 * way, which has seen the items up to `cursor`, ordered by id; the `last_` columns are of the pass before. Whoever works on it holds
 * the lease.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(STATEMENT).execute(db);
}

const STATEMENT = `create table object_checks (
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
)`;
