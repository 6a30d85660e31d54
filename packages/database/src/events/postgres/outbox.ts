import { Refusal } from '@postshelf/domain';
import { CompiledQuery, sql } from 'kysely';
import type { Outbox, Queries } from '../../store/dialect.ts';
import { type ColumnKind, type Columns, FOLDER_COLUMNS, ITEM_COLUMNS, POST_COLUMNS } from '../event-content.ts';
import { CHANGE_COLUMNS, type ChangeRow, changesOf } from '../noted-changes.ts';

const VALUE: Readonly<Record<ColumnKind, (column: string) => string>> = {
  plain: (column) => `'"' || ${column}::text || '"'`,
  text: (column) => `to_json(${column})::text`,
  number: (column) => `${column}::text`,
};

/**
 * Builds JSON by hand: `json_build_object` looks up the types of all columns for each row, which takes ten times as
 * long.
 */
const object = (table: string, columns: Columns): string => {
  const fields = columns.map(([name, kind]) => `'"${name}":', coalesce(${VALUE[kind](`${table}.${name}`)}, 'null')`);
  return `concat('{', ${fields.join(", ',', ")}, '}')`;
};

/** The left join yields a row even if there are no changes. Only a statement with a parameter stays prepared. */
const READ_CHANGES = `select ${CHANGE_COLUMNS}
  from (select $1::smallint as id) as one left join fence on fence.id = one.id
  left join resource_changes as changes on changes.xid = pg_current_xact_id_if_assigned()
  left join workspaces on workspaces.id = changes.workspace_id`;

const DATA = `case changes.kind
    when 'media' then (select concat('{"row":', ${object('item', ITEM_COLUMNS)}, ',"cover":', coalesce(
      (select ${object('cover', ITEM_COLUMNS)} from media as cover where cover.cover_of = item.id), 'null'
    ), '}') from media as item where item.id = changes.resource_id)
    when 'folder' then (select concat('{"row":', ${object('folder', FOLDER_COLUMNS)}, '}')
      from folders as folder where folder.id = changes.resource_id)
    else (select concat('{"row":', ${object('post', POST_COLUMNS)}, ',"media_ids":', array_to_json(
      array(select media_id from post_media where post_id = changes.resource_id order by position)
    ), '}') from posts as post where post.id = changes.resource_id)
  end`;

/** Subqueries hide the arrays' lengths from the planner, which would otherwise make a plan for each length. */
const EMIT = `with emitted as (
    select * from unnest((select $2::uuid[]), (select $3::uuid[]), (select $4::text[])) as emitted (resource_id, id, type)
  ), changes as (
    delete from resource_changes where xid = pg_current_xact_id_if_assigned()
    returning resource_id, workspace_id, kind
  )
  insert into events (id, workspace_id, resource_id, type, at, data)
  select emitted.id, changes.workspace_id, changes.resource_id, emitted.type,
    greatest($1::bigint, 1 + coalesce((select max(at) from events where resource_id = changes.resource_id), 0)),
    ${DATA}
  from changes join emitted on emitted.resource_id = changes.resource_id`;

const LOCK = sql`hashtextextended('postshelf events', 0)`;

/** Maximum number of events that get their positions in one statement. */
const MAX_PLACED = 5000;

/** Milliseconds to wait for long transactions, and milliseconds between two queries for them. */
const [PATIENCE, PAUSE] = [10_000, 20];

/**
 * The outbox of PostgreSQL. Transactions don't become visible in the order of their events' numbers, so positions are
 * assigned afterwards, to the events that are visible by then.
 */
export const POSTGRES_OUTBOX: Outbox = {
  async readChanges(transaction) {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(READ_CHANGES, [1]) as CompiledQuery<ChangeRow>);
    return changesOf(rows);
  },

  async emit(transaction, events, now) {
    const ids = events.map(() => crypto.randomUUID());
    const [resources, types] = [events.map(({ resourceId }) => resourceId), events.map(({ type }) => type)];
    await transaction.executeQuery(CompiledQuery.raw(EMIT, [now, resources, ids, types]));
  },

  async clearChanges(transaction) {
    await sql`delete from resource_changes where xid = pg_current_xact_id_if_assigned()`.execute(transaction);
  },

  async clearStrayChanges(transaction) {
    await sql`delete from resource_changes where xid < pg_current_xact_id()`.execute(transaction);
  },

  places: {
    async areLacking(queries) {
      const lacking = queries.selectFrom('events').select('id').where('position', 'is', null).limit(1);
      return (await lacking.executeTakeFirst()) !== undefined;
    },

    /**
     * Does nothing if another transaction holds the lock, which lasts until its commit; the caller then reads only the
     * events that already have a position.
     */
    async give(transaction) {
      const lock = sql<{ is_mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as is_mine`;
      const { rows } = await lock.execute(transaction);
      if (rows[0]?.is_mine === true) await giveSome(transaction);
    },

    async giveAll(transaction) {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
      while ((await giveSome(transaction)) === MAX_PLACED);
    },

    async awaitWriters(read) {
      const writers = sql<{ id: string }>`select distinct virtualtransaction as id from pg_locks
        where locktype = 'relation' and mode = 'RowExclusiveLock' and pid is distinct from pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())
          and relation in ('media'::regclass, 'folders'::regclass, 'posts'::regclass)`;
      const under = async (): Promise<string[]> =>
        (await read((queries) => writers.execute(queries))).rows.map(({ id }) => id);
      let before = await under();
      for (const end = performance.now() + PATIENCE; performance.now() < end; await Bun.sleep(PAUSE)) {
        if (before.length === 0) return;
        const now = new Set(await under());
        before = before.filter((id) => now.has(id));
      }
      throw new Refusal({ code: 'unavailable', message: 'The database is busy with long writes.' });
    },
  },

  async newest(queries) {
    const { rows } = await sql<{ newest: number }>`select newest from event_places where id = 1`.execute(queries);
    return rows[0]?.newest ?? 0;
  },
};

/**
 * Assigns positions. This is a separate statement, executed after the lock was taken, so that it sees what the lock's
 * previous holder committed.
 *
 * @returns the number of events that got a position
 */
async function giveSome(transaction: Queries): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with lacking as (
      select id, row_number() over (order by number) as nth
      from (select id, number from events where position is null order by number limit ${MAX_PLACED}) as unplaced
    ), places as (
      update event_places set newest = newest + (select count(*) from lacking) where id = 1 returning newest
    )
    update events set position = places.newest - (select count(*) from lacking) + lacking.nth
    from lacking, places where events.id = lacking.id`.execute(transaction);
  return Number(numAffectedRows);
}
