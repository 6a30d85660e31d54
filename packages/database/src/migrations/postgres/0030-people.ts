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
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    name text not null,
    email text,
    email_key text,
    role text not null check (role in ('viewer', 'editor', 'manager')),
    issuer text,
    subject text,
    status text not null check (status in ('invited', 'active')),
    invitation_hash text unique,
    invitation_expires_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    check ((email is null) = (email_key is null)),
    check ((issuer is null) = (subject is null)),
    check ((invitation_hash is null) = (invitation_expires_at is null)),
    unique (workspace_id, email_key),
    unique (issuer, subject, workspace_id)
  )`,
  'create index people_newest on people (workspace_id, created_at, id)',
  'create index people_by_email on people (email_key) where issuer is null',

  'alter table sessions alter column token_id drop not null',
  `create table session_people (
    session_id uuid not null references sessions (id) on delete cascade,
    person_id uuid not null references people (id) on delete cascade,
    primary key (session_id, person_id)
  )`,
  'create index sessions_of_people on session_people (person_id, session_id)',

  'alter table repeats drop constraint repeats_token_id_fkey',

  'alter table media add column created_by uuid',
  'alter table media add column created_by_kind text',
  'alter table audit add column person_id uuid',
];
