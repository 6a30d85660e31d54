import { type Kysely, sql } from 'kysely';

/** `media_unfinished` and `media_films`: listed media that are rare in most workspaces, as lists of them alone would else look at all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create index media_unfinished on media (workspace_id, status) where cover_of is null and status <> 'active'`,
  `create index media_films on media (workspace_id) where cover_of is null and type > 'video/' and type < 'video0'`,
];
