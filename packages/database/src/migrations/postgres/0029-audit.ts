import { type Kysely, sql } from 'kysely';

/** Who did what to what. Without foreign keys, as entries outlive what they name. `counts` is a JSON object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table audit (
    id uuid primary key,
    at bigint not null,
    token_id uuid,
    action text not null,
    subject_id uuid,
    workspace_id uuid,
    address text,
    counts text
  )`,
  'create index audit_latest on audit (at, id)',
  'create index audit_of_workspaces on audit (workspace_id, at, id) where workspace_id is not null',
  'create index audit_of_tokens on audit (token_id, at, id) where token_id is not null',
];
