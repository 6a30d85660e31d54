import { type Kysely, sql } from 'kysely';

/**
 * Requests that may be repeated: under a lease while they are answered, then with their sealed answer. Those of a token have
 * positions one after the other, each as far behind the one before as its answer takes up, so that the oldest can be told.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table repeats (
    id text primary key,
    token_id text not null references tokens (id) on delete cascade,
    position integer not null check (position > 0),
    expires_at integer not null,
    answer blob,
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null)),
    check ((answer is null) = (lease_owner is not null))
  ) strict`,
  `create index repeats_of_tokens on repeats (token_id, position)`,
  `create index repeats_expiring on repeats (expires_at)`,
];
