import { type Kysely, sql } from 'kysely';
import { notingTriggers } from './0022-events.ts';

/**
 * `workspaces.listened_until`: changes leave events until then, as a stream was open a day before; null: nobody listens. A
 * workspace with webhooks is always listened to. Of others nothing is noted. What is kept for streams that are open during
 * the upgrade lasts for a day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const isListenedTo = (row: 'new' | 'old'): string => `exists (select 1 from workspaces
    where id = ${row}.workspace_id and removal_begun_at is null and (
      listened_until is not null or exists (select 1 from webhooks where webhooks.workspace_id = workspaces.id)
    ))`;

const NAMES = [
  ...['media_added', 'media_changed', 'media_removed', 'media_cover_added', 'media_cover_removed'],
  ...['folders_added', 'folders_changed', 'folders_removed', 'posts_added', 'posts_changed', 'posts_removed'],
];

const STATEMENTS = [
  'alter table workspaces add column listened_until integer',
  'create index workspaces_listened on workspaces (listened_until) where listened_until is not null',
  "update workspaces set listened_until = (cast(strftime('%s', 'now') as integer) + 86400) * 1000",
  ...NAMES.map((name) => `drop trigger ${name}`),
  ...notingTriggers(isListenedTo),
];
