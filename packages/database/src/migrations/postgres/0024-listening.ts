import { type Kysely, sql } from 'kysely';
import { notingFunctions } from './0022-events.ts';

/**
 * `workspaces.listened_until`: changes leave events until then, as a stream was open a day before; null: nobody listens. A
 * workspace with webhooks is always listened to. Of others nothing is noted. What is kept for streams that are open during
 * the upgrade lasts for a day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const listenedTo = (row: string): string =>
  `join workspaces on workspaces.id = ${row}.workspace_id and workspaces.removal_begun_at is null and (
    workspaces.listened_until is not null
    or exists (select from webhooks where webhooks.workspace_id = workspaces.id)
  )`;

const STATEMENTS = [
  'alter table workspaces add column listened_until bigint',
  'create index workspaces_listened on workspaces (listened_until) where listened_until is not null',
  'update workspaces set listened_until = (extract(epoch from now())::bigint + 86400) * 1000',
  ...notingFunctions('create or replace function', listenedTo),
];
