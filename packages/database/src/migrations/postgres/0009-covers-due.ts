import { type Kysely, sql } from 'kysely';

/**
 * Covers that are still to be made. The lowest `turn` comes next, and a workspace's jobs have turns one after the other, so
 * that workspaces take turns. Nobody takes a job before `free_at`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table covers_due (
    media_id uuid primary key references media (id) on delete cascade,
    workspace_id uuid not null,
    turn bigint not null check (turn >= 0),
    free_at bigint not null,
    claims bigint not null check (claims >= 0)
  )`,
  `create index covers_due_turns on covers_due (turn, media_id)`,
  `create index covers_due_of_workspaces on covers_due (workspace_id, turn)`,
];
