const kindOf = (row: string): string => `case when ${row}type like 'video/%' then 'video' else 'image' end`;
const isCounted = (row: string): string => `${row}cover_of is null and ${row}status = 'active'`;

const SUM = 'on conflict do update set items = items + excluded.items, bytes = bytes + excluded.bytes;';
const ADD = `insert into workspace_usage values (new.workspace_id, ${kindOf('new.')}, 1, new.size) ${SUM}`;
const SUBTRACT = `update workspace_usage set items = items - 1, bytes = bytes - old.size
    where workspace_id = old.workspace_id and kind = ${kindOf('old.')};`;

const COUNTED = ['workspace_id', 'status', 'type', 'size', 'cover_of'];
const rowOf = (row: string): string => `(${COUNTED.map((column) => `${row}.${column}`).join(', ')})`;
const isMoved = `${rowOf('new')} is not ${rowOf('old')}`;

/** The usage of workspaces, to which their quotas apply. */
export const USAGE = [
  // `active` items by kind, and the sizes that presigned uploads have declared (`reserved`).
  `create table workspace_usage (
    workspace_id text not null,
    kind text not null check (kind in ('image', 'video', 'reserved')),
    items integer not null check (items >= 0),
    bytes integer not null check (bytes >= 0),
    primary key (workspace_id, kind)
  ) strict, without rowid`,
  `create trigger workspace_usage_insert after insert on media when ${isCounted('new.')} begin ${ADD} end`,
  `create trigger workspace_usage_delete after delete on media when ${isCounted('old.')} begin ${SUBTRACT} end`,
  `create trigger workspace_usage_leave after update of ${COUNTED.join(', ')} on media
    when ${isCounted('old.')} and ${isMoved} begin ${SUBTRACT} end`,
  `create trigger workspace_usage_enter after update of ${COUNTED.join(', ')} on media
    when ${isCounted('new.')} and ${isMoved} begin ${ADD} end`,
  `create trigger workspace_usage_reserve after insert on presigned_uploads begin
    insert into workspace_usage select workspace_id, 'reserved', 1, new.size from media where id = new.media_id ${SUM}
  end`,
  `create trigger workspace_usage_settle after delete on presigned_uploads begin
    update workspace_usage set items = items - 1, bytes = bytes - old.size
    where workspace_id = (select workspace_id from media where id = old.media_id) and kind = 'reserved';
  end`,
  // If the item is deleted with its presigned upload, the trigger above no longer finds the item. So this trigger
  // subtracts the reserved size.
  `create trigger workspace_usage_abandon before delete on media when old.status = 'temporary' begin
    update workspace_usage set items = items - 1, bytes = bytes - upload.size
    from (select size from presigned_uploads where media_id = old.id) as upload
    where workspace_id = old.workspace_id and kind = 'reserved';
  end`,
  `create trigger workspace_usage_forget after delete on workspaces begin
    delete from workspace_usage where workspace_id = old.id;
  end`,
];
