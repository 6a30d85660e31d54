import { type Kysely, sql } from 'kysely';

/**
 * People of workspaces, and as whom a session acts. `email_key`: an e-mail address with upper and lower case the same. `sessions`
 * are of a token or of people, and kept answers (`repeats.token_id`) of either, without a foreign key. `created_by`: the token
 * or the person that brought an item; neither needs to exist any more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table people (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    name text not null,
    email text,
    email_key text,
    role text not null check (role in ('viewer', 'editor', 'manager')),
    issuer text,
    subject text,
    status text not null check (status in ('invited', 'active')),
    invitation_hash text unique,
    invitation_expires_at integer,
    created_at integer not null,
    updated_at integer not null,
    check ((email is null) = (email_key is null)),
    check ((issuer is null) = (subject is null)),
    check ((invitation_hash is null) = (invitation_expires_at is null)),
    unique (workspace_id, email_key),
    unique (issuer, subject, workspace_id)
  ) strict`,
  'create index people_newest on people (workspace_id, created_at, id)',
  'create index people_by_email on people (email_key) where issuer is null',

  `create table sessions_of_any (
    id text primary key,
    token_id text references tokens (id) on delete cascade,
    hash text not null unique,
    name text not null,
    created_at integer not null,
    expires_at integer not null,
    last_used_at integer
  ) strict`,
  `insert into sessions_of_any
    select id, token_id, hash, name, created_at, expires_at, last_used_at from sessions`,
  'drop table sessions',
  'alter table sessions_of_any rename to sessions',
  'create index sessions_of_tokens on sessions (token_id, created_at, id)',
  'create index sessions_expiring on sessions (expires_at)',
  `create table session_people (
    session_id text not null references sessions (id) on delete cascade,
    person_id text not null references people (id) on delete cascade,
    primary key (session_id, person_id)
  ) strict, without rowid`,
  'create index sessions_of_people on session_people (person_id, session_id)',

  `create table repeats_of_any (
    id text primary key,
    token_id text not null,
    position integer not null check (position > 0),
    expires_at integer not null,
    answer blob,
    lease_owner text,
    lease_until integer,
    check ((lease_owner is null) = (lease_until is null)),
    check ((answer is null) = (lease_owner is not null))
  ) strict`,
  `insert into repeats_of_any
    select id, token_id, position, expires_at, answer, lease_owner, lease_until from repeats`,
  'drop table repeats',
  'alter table repeats_of_any rename to repeats',
  'create index repeats_of_tokens on repeats (token_id, position)',
  'create index repeats_expiring on repeats (expires_at)',

  'alter table media add column created_by text',
  'alter table media add column created_by_kind text',
  'alter table audit add column person_id text',
];
