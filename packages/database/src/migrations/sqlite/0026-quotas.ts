import { type Kysely, sql } from 'kysely';
import { mediaTriggers } from './0022-events.ts';

/**
 * Quotas of workspaces, and what they hold. `workspace_usage`: `active` listed media by kind (`image`, `video`), and what
 * presigned uploads have announced (`reserved`); triggers keep it up to date. A presigned upload ends before its item
 * becomes another, or goes with it: then its item is no longer there when it goes, and is asked before. In workspaces with a
 * quota changes of media are noted, too, even if nobody listens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const KIND = (row: string): string => `case when ${row}type like 'video/%' then 'video' else 'image' end`;
const counts = (row: string): string => `${row}cover_of is null and ${row}status = 'active'`;
const ADD = 'on conflict do update set items = items + excluded.items, bytes = bytes + excluded.bytes';

const addItem = `insert into workspace_usage values (new.workspace_id, ${KIND('new.')}, 1, new.size) ${ADD};`;
const takeItem = `update workspace_usage set items = items - 1, bytes = bytes - old.size
  where workspace_id = old.workspace_id and kind = ${KIND('old.')};`;

const COUNTED = ['workspace_id', 'status', 'type', 'size', 'cover_of'];
const rowOf = (row: string): string => `(${COUNTED.map((column) => `${row}.${column}`).join(', ')})`;
const isMoved = `${rowOf('new')} is not ${rowOf('old')}`;

const isNoted = (row: 'new' | 'old'): string => `exists (select 1 from workspaces
    where id = ${row}.workspace_id and removal_begun_at is null and (
      listened_until is not null or max_bytes is not null or max_items is not null
      or exists (select 1 from webhooks where webhooks.workspace_id = workspaces.id)
    ))`;

const NOTING = ['media_added', 'media_changed', 'media_removed', 'media_cover_added', 'media_cover_removed'];

const STATEMENTS = [
  'alter table workspaces add column max_bytes integer check (max_bytes >= 0)',
  'alter table workspaces add column max_items integer check (max_items >= 0)',
  `create table workspace_usage (
    workspace_id text not null,
    kind text not null check (kind in ('image', 'video', 'reserved')),
    items integer not null check (items >= 0),
    bytes integer not null check (bytes >= 0),
    primary key (workspace_id, kind)
  ) strict, without rowid`,
  `insert into workspace_usage
    select workspace_id, ${KIND('')}, count(*), sum(size) from media where ${counts('')} group by 1, 2`,
  `insert into workspace_usage
    select media.workspace_id, 'reserved', count(*), sum(presigned_uploads.size)
    from presigned_uploads join media on media.id = presigned_uploads.media_id group by 1`,

  `create trigger workspace_usage_insert after insert on media when ${counts('new.')} begin ${addItem} end`,
  `create trigger workspace_usage_delete after delete on media when ${counts('old.')} begin ${takeItem} end`,
  `create trigger workspace_usage_leave after update of ${COUNTED.join(', ')} on media
    when ${counts('old.')} and ${isMoved} begin ${takeItem} end`,
  `create trigger workspace_usage_enter after update of ${COUNTED.join(', ')} on media
    when ${counts('new.')} and ${isMoved} begin ${addItem} end`,

  `create trigger workspace_usage_reserve after insert on presigned_uploads begin
    insert into workspace_usage select workspace_id, 'reserved', 1, new.size from media where id = new.media_id ${ADD};
  end`,
  `create trigger workspace_usage_settle after delete on presigned_uploads begin
    update workspace_usage set items = items - 1, bytes = bytes - old.size
    where workspace_id = (select workspace_id from media where id = old.media_id) and kind = 'reserved';
  end`,
  `create trigger workspace_usage_abandon before delete on media when old.status = 'temporary' begin
    update workspace_usage set items = items - 1, bytes = bytes - upload.size
    from (select size from presigned_uploads where media_id = old.id) as upload
    where workspace_id = old.workspace_id and kind = 'reserved';
  end`,

  `create trigger workspace_usage_forget after delete on workspaces begin
    delete from workspace_usage where workspace_id = old.id;
  end`,

  ...NOTING.map((name) => `drop trigger ${name}`),
  ...mediaTriggers(isNoted),
];
