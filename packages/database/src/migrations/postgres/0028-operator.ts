import { type Kysely, sql } from 'kysely';

/**
 * What operators see by HTTP, in lists of their order. `replaced_by`: the token that a rotation made of this one.
 * `removals`: how much has gone of each removed workspace, as JSON, added up by the steps of its removal. A profile with
 * `removal_begun_at` is unknown to everything but the removal of its posts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  'create index workspaces_newest on workspaces (created_at, id)',
  'create index workspaces_removed on workspaces (removal_begun_at) where removal_begun_at is not null',
  'create index folders_system on folders (workspace_id) where is_system = 1',
  'alter table tokens add column replaced_by uuid',
  'create index tokens_newest on tokens (created_at, id)',
  // By hash, as the order of names changes with the collations of the system.
  'create index tokens_named on tokens using hash (name)',
  'create index tokens_expiring on tokens (expires_at)',
  'create index tokens_of_workspaces on token_workspaces (workspace_id)',
  `create table removals (
    workspace_id uuid primary key,
    begun_at bigint not null,
    ended_at bigint,
    counts text not null
  )`,
  'alter table profiles add column removal_begun_at bigint',
  'create index profiles_removed on profiles (removal_begun_at) where removal_begun_at is not null',
];
