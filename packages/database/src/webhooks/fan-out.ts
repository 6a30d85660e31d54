import type {
  Delivery,
  DeliveryRepository,
  EventPosition,
  EventRepository,
  EventType,
  LibraryEvent,
  PlacedEvent,
  Uuid,
} from '@postshelf/domain';
import { fanOutPlace, lockPlace } from '../events/fan-out-place.ts';
import { blocksOf } from '../store/blocks.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryRow, WebhookRow } from '../store/tables.ts';
import { addDeliveryJobs } from './delivery-jobs.ts';
import { deliveryToRow, typesFromText } from './webhook-rows.ts';

/**
 * Maximum number of webhooks read and of deliveries made in one transaction. At least one event is handled, even if it
 * exceeds these limits.
 */
const MAX_ROWS = 1000;

/** Number of rows per insert statement, which has a parameter for each column of each row. */
const ROWS_PER_INSERT = 100;

/** Makes the deliveries of events under the lock of the stored position, which is advanced in the same transaction. */
export function fanOut(store: Store, events: Pick<EventRepository, 'listAfter'>): DeliveryRepository['fanOut'] {
  return async (limit, make, now) => {
    const place = await store.read((queries) => fanOutPlace(queries, store.dialect));
    if (place === null) return 0;
    const found = await events.listAfter(place, limit);
    if (found.length === 0) return 0;
    return store.write(async (transaction) => {
      // Another caller has made these deliveries.
      if ((await lockPlace(transaction)) !== place) return found.length;
      const { done, rows } = await deliveriesOf(transaction, store.dialect, found, make, now);
      for (const block of blocksOf(rows, ROWS_PER_INSERT)) {
        await transaction.insertInto('webhook_deliveries').values(block).execute();
      }
      await addDeliveryJobs(transaction, webhooksOf(rows), now);
      await transaction
        .updateTable('fan_out')
        .set({ position: done.at(-1)?.position ?? place })
        .where('id', '=', 1)
        .execute();
      return done.length;
    });
  };
}

interface Deliveries {
  readonly done: readonly PlacedEvent[];
  readonly rows: readonly DeliveryRow[];
}

async function deliveriesOf(
  transaction: Queries,
  dialect: Dialect,
  events: readonly PlacedEvent[],
  make: Parameters<DeliveryRepository['fanOut']>[1],
  now: number,
): Promise<Deliveries> {
  const workspaceIds = await withWebhooks(transaction, new Set(events.map(({ event }) => event.workspaceId)));
  await dialect.lock(transaction, 'webhooks', [...workspaceIds]);
  const webhooks = new Map<Uuid, readonly Listener[]>();
  const rows: DeliveryRow[] = [];
  const done: PlacedEvent[] = [];
  let read = 0;
  for (const placed of events) {
    if (done.length > 0 && read + rows.length >= MAX_ROWS) break;
    const { event } = placed;
    const { workspaceId } = event;
    done.push(placed);
    if (workspaceIds.has(workspaceId) && !webhooks.has(workspaceId)) {
      const all = await lockListeners(transaction, workspaceId);
      webhooks.set(workspaceId, all);
      read += all.length;
    }
    const receivers = (webhooks.get(workspaceId) ?? []).filter((webhook) => receives(webhook, placed));
    if (receivers.length === 0) continue;
    const payload = make.payloadOf(event);
    for (const { id } of receivers) rows.push(deliveryToRow(deliveryOf(event, make.newId(), id, now), payload));
  }
  return { done, rows };
}

const deliveryOf = (event: LibraryEvent, id: Uuid, webhookId: Uuid, now: number): Delivery => ({
  id,
  webhookId,
  workspaceId: event.workspaceId,
  event: { id: event.id, type: event.type },
  status: 'pending',
  attempts: 0,
  nextAttemptAt: now,
  lastStatus: null,
  lastError: null,
  createdAt: now,
});

/** A webhook, and the position of the last event before it was created. */
interface Listener {
  readonly id: Uuid;
  readonly types: readonly EventType[] | null;
  readonly after: EventPosition;
}

const receives = ({ types, after }: Listener, { position, event }: PlacedEvent): boolean =>
  position > after && (types === null || types.includes(event.type));

/**
 * Locks the webhooks. Otherwise, a job that is just finishing a webhook's last delivery could end without seeing the
 * deliveries that this transaction makes.
 */
async function lockListeners(transaction: Queries, workspaceId: Uuid): Promise<readonly Listener[]> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['id', 'types', 'told_after'])
    .where('workspace_id', '=', workspaceId)
    .where('enabled', '=', 1)
    .forNoKeyUpdate()
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

/**
 * Returns each webhook once, ordered by workspace. All callers then lock the turns of workspaces in the same order,
 * which prevents deadlocks.
 */
function webhooksOf(rows: readonly DeliveryRow[]): readonly Pick<WebhookRow, 'id' | 'workspace_id'>[] {
  const workspaces = new Map(rows.map((row) => [row.webhook_id, row.workspace_id]));
  const webhooks = [...workspaces].map(([id, workspace_id]) => ({ id, workspace_id }));
  return webhooks.sort((a, b) => (a.workspace_id < b.workspace_id ? -1 : 1));
}
