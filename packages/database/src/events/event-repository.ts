import { type EventRepository, LISTENED, type PlacedEvent, type Uuid } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import { eventFromRow, type LibraryEventRow } from './event-content.ts';
import { fanOutPlace } from './fan-out-place.ts';

/**
 * Maximum duration of a write in milliseconds. When a stream has listened for this long, all writes that began before
 * the stream have ended.
 */
const LONGEST_WRITE = 60_000;

/**
 * @param write runs the writes that assign positions to committed events; it works even while the library is read-only
 */
export function eventRepository(store: Store, write: Store['write']): EventRepository {
  const { places, newest, clearStrayChanges } = store.dialect.outbox;

  /** Reads committed events. All of them have a position, unless another process is still assigning positions. */
  async function read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const found = await store.read(async (queries) =>
      (await places?.areLacking(queries)) ? null : { answer: await work(queries) },
    );
    if (found === null) await write((transaction) => places?.give(transaction) ?? Promise.resolve());
    const answer = found === null ? await store.read(work) : found.answer;
    // The events must be durable before a reader continues after them: after a power cut, other events might get the
    // same positions.
    await store.settled();
    return answer;
  }

  return {
    async listen(workspaceIds, until) {
      let isNew = false;
      for (const ids of blocksOf(workspaceIds)) {
        const workspaces = await store.read((queries) =>
          queries.selectFrom('workspaces').select(['id', 'listened_until']).where('id', 'in', ids).execute(),
        );
        const isOlder = (than: number) => (row: { readonly listened_until: number | null }) =>
          (row.listened_until ?? 0) < than;
        const due = workspaces.filter(isOlder(until - LISTENED.granularity)).map(({ id }) => id);
        // A workspace also counts as new if another process began to listen to it within the last `LONGEST_WRITE`,
        // because writes from before that may still be in progress.
        isNew ||= workspaces.some((row) => row.listened_until === null || !isOlder(until - LONGEST_WRITE)(row));
        if (due.length === 0) continue;
        await write((transaction) =>
          transaction.updateTable('workspaces').set({ listened_until: until }).where('id', 'in', due).execute(),
        );
      }
      if (isNew) await places?.awaitWriters(store.read);
    },

    endListening: async (now) => {
      await write((transaction) =>
        transaction.updateTable('workspaces').set({ listened_until: null }).where('listened_until', '<', now).execute(),
      );
    },

    newest: () => read(newest),

    listAfter: (after, limit) =>
      read(async (queries) => {
        const events = eventsIn(queries).where('position', '>', after);
        return placed(await events.orderBy('position').limit(limit).execute());
      }),

    listOf: (workspaceId, after, upTo, limit) =>
      read(async (queries) => {
        const events = eventsIn(queries).where('workspace_id', '=', workspaceId);
        const some = events.where('position', '>', after).where('position', '<=', upTo);
        return placed(await some.orderBy('position').limit(limit).execute());
      }),

    find: (workspaceId, id, since) =>
      read(async (queries) => {
        const event = queries.selectFrom('events').select('position').where('id', '=', id).where('at', '>=', since);
        return (await event.where('workspace_id', '=', workspaceId).executeTakeFirst())?.position ?? null;
      }),

    async mark(workspaceId, since, now) {
      const newestId = await read(async (queries) => {
        const events = queries.selectFrom('events').select(['id', 'at']).where('workspace_id', '=', workspaceId);
        const last = events.where('position', 'is not', null).orderBy('position', 'desc').limit(1);
        const found = await last.executeTakeFirst();
        return found && found.at >= since ? found.id : null;
      });
      if (newestId !== null) return newestId;
      const id = crypto.randomUUID() as Uuid;
      const mark = {
        id,
        workspace_id: workspaceId,
        resource_id: workspaceId,
        type: 'mark',
        at: now,
        data: null,
      } as const;
      await write((transaction) => transaction.insertInto('events').values(mark).execute());
      return id;
    },

    prune: (before, limit) =>
      store.write(async (transaction) => {
        await clearStrayChanges?.(transaction);
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

const eventsIn = (queries: Queries) =>
  queries.selectFrom('events').selectAll().where('type', '!=', 'mark').$narrowType<LibraryEventRow>();

const placed = (rows: readonly LibraryEventRow[]): PlacedEvent[] =>
  rows.flatMap((row) => (row.position === null ? [] : [{ position: row.position, event: eventFromRow(row) }]));
