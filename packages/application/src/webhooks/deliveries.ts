import {
  type Delivery,
  invalid,
  type LibraryEvent,
  notFound,
  type PageRequest,
  parseUuid,
  type Rows,
  sliceOf,
  type Webhook,
} from '@postshelf/domain';
import { hasDatabaseSpace } from '../database-space.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

/** Finds the delivery that a path names. @throws Refusal `not_found` if the id is malformed, unknown or inaccessible */
export async function findDelivery(ports: Pick<Ports, 'deliveries'>, caller: Caller, id: string): Promise<Delivery> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.deliveries.find(uuid)));
}

/** Lists deliveries, newest first. */
export const listDeliveries = (
  ports: Pick<Ports, 'deliveries'>,
  { id }: Pick<Webhook, 'id'>,
  page: PageRequest,
): Promise<Rows<Delivery>> => ports.deliveries.list(id, sliceOf(page));

/**
 * Sends `webhook.test` soon, whatever the webhook's types.
 *
 * @throws Refusal `invalid` on `webhook` if it is disabled, `not_found` if it was deleted meanwhile
 */
export async function testWebhook(
  ports: Pick<Ports, 'deliveries' | 'clock' | 'ids'>,
  webhook: Webhook,
  complete?: Completing<Delivery>,
): Promise<Delivery> {
  requireEnabled(webhook);
  const now = ports.clock.now();
  const delivery: Delivery = {
    id: ports.ids.next(),
    webhookId: webhook.id,
    workspaceId: webhook.workspaceId,
    event: { id: ports.ids.next(), type: 'webhook.test' },
    status: 'pending',
    attempts: 0,
    nextAttemptAt: now,
    lastStatus: null,
    lastError: null,
    createdAt: now,
  };
  const payload = JSON.stringify({
    type: delivery.event.type,
    timestamp: new Date(now).toISOString(),
    workspace: webhook.workspaceId,
    data: { id: webhook.id },
  });
  if (!(await ports.deliveries.add(delivery, payload, complete?.(delivery)))) throw notFound();
  return delivery;
}

/**
 * Sends a delivery again soon, with the same `webhook-id` and the full number of attempts, whatever its result was.
 *
 * @throws Refusal `invalid` on `webhook` if the webhook is disabled, `not_found` if it was deleted meanwhile
 */
export async function redeliver(
  ports: Pick<Ports, 'webhooks' | 'deliveries' | 'clock'>,
  { id, webhookId }: Delivery,
  complete?: Completing<Delivery>,
): Promise<Delivery> {
  const webhook = await ports.webhooks.find(webhookId);
  if (webhook === null) throw notFound();
  requireEnabled(webhook);
  const delivery = await ports.deliveries.redeliver(id, ports.clock.now(), complete);
  if (delivery === null) throw notFound();
  return delivery;
}

/** Requires an enabled webhook, because deliveries to a disabled webhook wait until it is enabled. */
function requireEnabled({ enabled }: Webhook): void {
  if (!enabled) throw invalid('webhook', 'The webhook is disabled.');
}

/** Number of events per transaction. */
const BATCH = 100;

/** Creates the deliveries of all events that occurred since this was last called in any process. */
export async function fanOut(
  ports: Pick<Ports, 'deliveries' | 'clock' | 'ids' | 'databaseSpace'>,
  payloadOf: (event: LibraryEvent) => string,
  signal: AbortSignal,
): Promise<void> {
  const { deliveries, clock, ids } = ports;
  const make = { newId: () => ids.next(), payloadOf };
  while (!signal.aborted) {
    // While the disk is low on space, the events wait, because each event may become as many rows as there are
    // webhooks.
    if (!(await hasDatabaseSpace(ports))) return;
    if ((await deliveries.fanOut(BATCH, make, clock.now())) === 0) return;
  }
}
