import { CompiledQuery, sql } from 'kysely';
import type { Outbox, Queries } from '../../store/dialect.ts';
import { type Columns, FOLDER_COLUMNS, ITEM_COLUMNS, POST_COLUMNS } from '../event-content.ts';
import { CHANGE_COLUMNS, type ChangeRow, changesOf } from '../noted-changes.ts';

const object = (table: string, columns: Columns): string =>
  `json_object(${columns.map(([column]) => `'${column}', ${table}.${column}`).join(', ')})`;

/** The left join yields a row even if there are no changes. */
const READ_CHANGES = `select ${CHANGE_COLUMNS}
  from (select 1) left join fence on fence.id = 1 left join resource_changes as changes
  left join workspaces on workspaces.id = changes.workspace_id`;

/** JSON from a subquery counts as text until `json` has read it. */
const DATA = `case changes.kind
    when 'media' then (select json_object('row', ${object('item', ITEM_COLUMNS)}, 'cover', json(
      (select ${object('cover', ITEM_COLUMNS)} from media as cover where cover.cover_of = item.id)
    )) from media as item where item.id = changes.resource_id)
    when 'folder' then (select json_object('row', ${object('folder', FOLDER_COLUMNS)})
      from folders as folder where folder.id = changes.resource_id)
    else (select json_object('row', ${object('post', POST_COLUMNS)}, 'media_ids', json(
      (select json_group_array(media_id) from (
        select media_id from post_media where post_id = changes.resource_id order by position
      ))
    )) from posts as post where post.id = changes.resource_id)
  end`;

const EMIT = `insert into events (id, workspace_id, resource_id, type, at, data)
  select emitted.value ->> 1, changes.workspace_id, changes.resource_id, emitted.value ->> 2,
    max(?, 1 + coalesce((select max(at) from events where resource_id = changes.resource_id), 0)), ${DATA}
  from json_each(?) as emitted cross join resource_changes as changes on changes.resource_id = emitted.value ->> 0`;

const CLEAR_CHANGES = 'delete from resource_changes';

/** The outbox of SQLite. Transactions are committed one after the other, so events are in the order of the commits. */
export const SQLITE_OUTBOX: Outbox = {
  async readChanges(transaction) {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(READ_CHANGES) as CompiledQuery<ChangeRow>);
    return changesOf(rows);
  },

  async emit(transaction, events, now) {
    const rows = events.map(({ resourceId, type }) => [resourceId, crypto.randomUUID(), type]);
    if (rows.length > 0) await transaction.executeQuery(CompiledQuery.raw(EMIT, [now, JSON.stringify(rows)]));
    await clearChanges(transaction);
  },

  clearChanges,

  async newest(queries) {
    const last = sql<{ seq: number }>`select seq from sqlite_sequence where name = 'events'`;
    return (await last.execute(queries)).rows[0]?.seq ?? 0;
  },
};

async function clearChanges(transaction: Queries): Promise<void> {
  await transaction.executeQuery(CompiledQuery.raw(CLEAR_CHANGES));
}
