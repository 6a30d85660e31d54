import type { EventRepository, PlacedEvent } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';
import { fanOutPlace } from './fan-out-place.ts';
import { eventFromRow } from './told-rows.ts';

/** @param write places events even while nothing else may be written: they are committed already */
export function eventRepository(store: Store, write: Store['write']): EventRepository {
  const { places, newest, forgetStray } = store.dialect.outbox;

  /** Reads committed events, all of which have a position, unless another process is giving it to them. */
  async function read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const found = await store.read(async (queries) =>
      (await places?.areLacking(queries)) ? null : { answer: await work(queries) },
    );
    if (found === null) await write((transaction) => places?.give(transaction) ?? Promise.resolve());
    const answer = found === null ? await store.read(work) : found.answer;
    // A reader goes on from here, and after a power cut other events might have the same positions.
    await store.settled();
    return answer;
  }

  return {
    newest: () => read(newest),

    listAfter: (after, limit) =>
      read(async (queries) => {
        const events = queries.selectFrom('events').selectAll().where('position', '>', after);
        return placed(await events.orderBy('position').limit(limit).execute());
      }),

    listOf: (workspaceId, after, upTo, limit) =>
      read(async (queries) => {
        const events = queries.selectFrom('events').selectAll().where('workspace_id', '=', workspaceId);
        const some = events.where('position', '>', after).where('position', '<=', upTo);
        return placed(await some.orderBy('position').limit(limit).execute());
      }),

    find: (workspaceId, id) =>
      read(async (queries) => {
        const event = queries.selectFrom('events').select('position').where('id', '=', id);
        return (await event.where('workspace_id', '=', workspaceId).executeTakeFirst())?.position ?? null;
      }),

    newestOf: (workspaceId) =>
      read(async (queries) => {
        const events = queries.selectFrom('events').select('id').where('workspace_id', '=', workspaceId);
        const last = events.where('position', 'is not', null).orderBy('position', 'desc').limit(1);
        return (await last.executeTakeFirst())?.id ?? null;
      }),

    prune: (before, limit) =>
      store.write(async (transaction) => {
        await forgetStray?.(transaction);
        const place = await fanOutPlace(transaction, store.dialect);
        const old = transaction.selectFrom('events').select('id').where('at', '<', before).orderBy('at').limit(limit);
        const { numDeletedRows } = await transaction
          .deleteFrom('events')
          .where('id', 'in', place === null ? old : old.where('position', '<=', place))
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

const placed = (rows: readonly EventRow[]): PlacedEvent[] =>
  rows.flatMap((row) => (row.position === null ? [] : [{ position: row.position, event: eventFromRow(row) }]));
