import { type Kysely, sql } from 'kysely';

/**
 * Sessions of browsers, and codes that begin one, each by the hash of what the browser has. Those of a token are found by
 * their creation, so that the oldest can be told.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table sessions (
    id uuid primary key,
    token_id uuid not null references tokens (id) on delete cascade,
    hash text not null unique,
    name text not null,
    created_at bigint not null,
    expires_at bigint not null,
    last_used_at bigint
  )`,
  `create index sessions_of_tokens on sessions (token_id, created_at, id)`,
  `create index sessions_expiring on sessions (expires_at)`,
  `create table sign_in_codes (
    id uuid primary key,
    token_id uuid not null references tokens (id) on delete cascade,
    hash text not null unique,
    expires_at bigint not null
  )`,
  `create index sign_in_codes_of_tokens on sign_in_codes (token_id)`,
  `create index sign_in_codes_expiring on sign_in_codes (expires_at)`,
];
