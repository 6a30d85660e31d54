import type { DeliveryQueue, EventPosition, EventRepository, EventType, PlacedEvent, Uuid } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryRow } from '../store/tables.ts';
import { deliveryToRow, typesFromText } from './webhook-rows.ts';
import { giveTurns } from './webhook-turns.ts';

/** Of webhooks read and deliveries made in a transaction, but for those of one event. */
const MOST_ROWS = 1000;

/** A statement has a parameter for each of their columns. */
const ROWS_AT_ONCE = 100;

/** A delivery is made under the lock of the place, which moves with it. */
export function fanOut(store: Store, events: Pick<EventRepository, 'listAfter'>): DeliveryQueue['fanOut'] {
  return async (limit, make, now) => {
    const place = await store.read((queries) => fanOutPlace(queries, store.dialect));
    if (place === null) return 0;
    const found = await events.listAfter(place, limit);
    if (found.length === 0) return 0;
    return store.write(async (transaction) => {
      // Another caller has made them.
      if ((await lock(transaction)) !== place) return found.length;
      const { done, rows } = await deliveriesOf(transaction, store.dialect, found, make, now);
      for (const block of blocksOf(rows, ROWS_AT_ONCE)) {
        await transaction.insertInto('webhook_deliveries').values(block).execute();
      }
      for (const id of new Set(rows.map((row) => row.workspace_id))) {
        await markDue(transaction, id, now);
        await giveTurns(transaction, id, now);
      }
      await transaction
        .updateTable('fan_out')
        .set({ position: done.at(-1)?.position ?? place })
        .where('id', '=', 1)
        .execute();
      return done.length;
    });
  };
}

/**
 * Before a webhook is inserted. Without any, nothing keeps the place up to date, nor events from being pruned behind it.
 *
 * @param newest the new webhook is told of later events only
 */
export async function beginFanOut(transaction: Queries, dialect: Dialect, newest: EventPosition): Promise<void> {
  const place = await lock(transaction);
  if (place >= newest || (await hasWebhooks(transaction, dialect))) return;
  await transaction.updateTable('fan_out').set({ position: newest }).where('id', '=', 1).execute();
}

/** Up to which there are deliveries of events; null if there are no webhooks that wait for any. */
export async function fanOutPlace(queries: Queries, dialect: Dialect): Promise<EventPosition | null> {
  if (!(await hasWebhooks(queries, dialect))) return null;
  const row = await queries.selectFrom('fan_out').select('position').where('id', '=', 1).executeTakeFirst();
  return row?.position ?? 0;
}

interface Deliveries {
  readonly done: readonly PlacedEvent[];
  readonly rows: readonly DeliveryRow[];
}

async function deliveriesOf(
  transaction: Queries,
  dialect: Dialect,
  events: readonly PlacedEvent[],
  make: Parameters<DeliveryQueue['fanOut']>[1],
  now: number,
): Promise<Deliveries> {
  const workspaceIds = await withWebhooks(transaction, new Set(events.map(({ event }) => event.workspaceId)));
  await dialect.lock(transaction, 'webhooks', [...workspaceIds]);
  const webhooks = new Map<Uuid, readonly Listener[]>();
  const rows: DeliveryRow[] = [];
  const done: PlacedEvent[] = [];
  let read = 0;
  for (const placed of events) {
    if (done.length > 0 && read + rows.length >= MOST_ROWS) break;
    const { event, position } = placed;
    const { id, type, workspaceId } = event;
    done.push(placed);
    if (!workspaceIds.has(workspaceId)) continue;
    const known = webhooks.get(workspaceId) ?? (await listenersOf(transaction, workspaceId));
    if (!webhooks.has(workspaceId)) read += known.length;
    webhooks.set(workspaceId, known);
    const told = known.filter(({ types, after }) => position > after && (types === null || types.includes(type)));
    if (told.length === 0) continue;
    const payload = make.payloadOf(event);
    for (const webhook of told) {
      rows.push(
        deliveryToRow(
          {
            id: make.newId(),
            webhookId: webhook.id,
            workspaceId,
            event: { id, type },
            status: 'pending',
            attempts: 0,
            nextAttemptAt: now,
            lastStatus: null,
            lastError: null,
            createdAt: now,
          },
          payload,
        ),
      );
    }
  }
  return { done, rows };
}

/** A webhook, and the place of the last event before it. */
interface Listener {
  readonly id: Uuid;
  readonly types: readonly EventType[] | null;
  readonly after: EventPosition;
}

async function listenersOf(transaction: Queries, workspaceId: Uuid): Promise<readonly Listener[]> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['id', 'types', 'told_after'])
    .where('workspace_id', '=', workspaceId)
    .where('enabled', '=', 1)
    .execute();
  return rows.map((row) => ({ id: row.id, types: typesFromText(row.types), after: row.told_after }));
}

async function withWebhooks(transaction: Queries, workspaceIds: ReadonlySet<Uuid>): Promise<ReadonlySet<Uuid>> {
  const found: Uuid[] = [];
  for (const block of blocksOf([...workspaceIds])) {
    const rows = await transaction
      .selectFrom('workspaces')
      .select('id')
      .where('id', 'in', block)
      .where((eb) =>
        eb.exists(
          eb.selectFrom('webhooks').select('webhooks.id').whereRef('webhooks.workspace_id', '=', 'workspaces.id'),
        ),
      )
      .execute();
    found.push(...rows.map((row) => row.id));
  }
  return new Set(found);
}

/** Of the workspace's webhooks, those that had nothing to do so far. */
async function markDue(transaction: Queries, workspaceId: Uuid, now: number): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ due_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('enabled', '=', 1)
    .where('turn', 'is', null)
    .where('under_way', 'is', null)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '>', now)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook_deliveries')
          .select('webhook_deliveries.id')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where('next_attempt_at', '<=', now),
      ),
    )
    .execute();
}

const hasWebhooks = async (queries: Queries, { noId }: Dialect): Promise<boolean> =>
  (await queries.selectFrom('webhooks').select('id').where('id', '>', noId).limit(1).executeTakeFirst()) !== undefined;

/** Two transactions can't both lock nothing. */
async function lock(transaction: Queries): Promise<EventPosition> {
  await transaction
    .insertInto('fan_out')
    .values({ id: 1, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = transaction.selectFrom('fan_out').select('position').where('id', '=', 1).forUpdate();
  return (await row.executeTakeFirstOrThrow()).position;
}
