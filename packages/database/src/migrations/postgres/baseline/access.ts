/** Tokens, people and sessions, and what they may access. */
export const ACCESS = [
  // `replaced_by`: the token that replaced this one in a rotation.
  `create table tokens (
    id uuid primary key,
    name text not null,
    scopes text not null check (json_typeof(scopes::json) = 'array'),
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    last_used_at bigint,
    replaced_by uuid
  )`,
  'create index tokens_newest on tokens (created_at, id)',
  // This is a hash index, because the order of names changes with the system's collations.
  'create index tokens_named on tokens using hash (name)',
  'create index tokens_expiring on tokens (expires_at)',

  // The workspaces that a token may access, in the order in which they were given.
  `create table token_workspaces (
    token_id uuid not null references tokens (id) on delete cascade,
    workspace_id uuid not null references workspaces (id),
    position integer not null,
    primary key (token_id, position),
    unique (token_id, workspace_id)
  )`,
  'create index tokens_of_workspaces on token_workspaces (workspace_id)',

  // `email_key`: the e-mail address with upper and lower case folded.
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

  // Sessions of browsers, found by the hash of the cookie. A session acts for a token, or for people if there is none.
  `create table sessions (
    id uuid primary key,
    token_id uuid references tokens (id) on delete cascade,
    hash text not null unique,
    name text not null,
    created_at bigint not null,
    expires_at bigint not null,
    last_used_at bigint
  )`,
  'create index sessions_of_tokens on sessions (token_id, created_at, id)',
  'create index sessions_expiring on sessions (expires_at)',
  // The people for whom a session acts; each belongs to a different workspace.
  `create table session_people (
    session_id uuid not null references sessions (id) on delete cascade,
    person_id uuid not null references people (id) on delete cascade,
    primary key (session_id, person_id)
  )`,
  'create index sessions_of_people on session_people (person_id, session_id)',
  // Codes that start a session, found by their hash.
  `create table sign_in_codes (
    id uuid primary key,
    token_id uuid not null references tokens (id) on delete cascade,
    hash text not null unique,
    expires_at bigint not null
  )`,
  'create index sign_in_codes_of_tokens on sign_in_codes (token_id)',
  'create index sign_in_codes_expiring on sign_in_codes (expires_at)',

  // Requests that may be repeated. A row has a lease while its request is being answered, and the encrypted answer
  // afterwards. `token_id`: the token or the person that sent the request. `position`: the total size of the sender's
  // answers up to this one, so that the oldest answers can be found when the total exceeds a limit.
  `create table repeats (
    id uuid primary key,
    token_id uuid not null,
    position bigint not null check (position > 0),
    expires_at bigint not null,
    answer bytea,
    lease_owner text,
    lease_until bigint,
    check ((lease_owner is null) = (lease_until is null)),
    check ((answer is null) = (lease_owner is not null))
  )`,
  'create index repeats_of_tokens on repeats (token_id, position)',
  'create index repeats_expiring on repeats (expires_at)',
];
