import {
  invalid,
  LISTENED,
  MAX_WEBHOOKS,
  notFound,
  type PageRequest,
  parseUuid,
  ROTATION_OVERLAP,
  type Rows,
  scopeOfEvent,
  sliceOf,
  typesOf,
  type Uuid,
  type Webhook,
  type WebhookChange,
  type Workspace,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess, requireAlso } from '../tokens/permissions.ts';

/** A new webhook or secret; the secret is never shown again. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  /** In the form `whsec_…`. */
  readonly secret: string;
}

/**
 * Creates a webhook, which receives events from then on.
 *
 * @throws Refusal `missing_scope` unless the token may read what the webhook receives, `invalid` on `url`, or on
 *   `webhook` if the workspace has too many; `not_found` if the workspace was deleted meanwhile
 */
export async function createWebhook(
  ports: Pick<Ports, 'webhooks' | 'webhookSecrets' | 'webhookSender' | 'events' | 'clock' | 'ids'>,
  caller: Caller,
  workspace: Workspace,
  { url, types }: Pick<Webhook, 'url' | 'types'>,
  complete?: Completing<WebhookWithSecret>,
): Promise<WebhookWithSecret> {
  requireTypes(caller, workspace.id, types);
  requireUrl(ports, url);
  const now = ports.clock.now();
  await ports.events.listen([workspace.id], now + LISTENED.for);
  const webhook: Webhook = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    url,
    types,
    enabled: true,
    disabledReason: null,
    createdAt: now,
    updatedAt: now,
  };
  const { secret, sealed } = ports.webhookSecrets.make(webhook.id);
  const created = { webhook, secret };
  const kept = await ports.webhooks.insert(webhook, sealed, complete?.(created));
  if (kept === 'gone') throw notFound();
  if (kept === 'full') throw invalid('webhook', `A workspace can have at most ${MAX_WEBHOOKS} webhooks.`);
  return created;
}

/** Finds the webhook that a path names. @throws Refusal `not_found` if the id is malformed, unknown or inaccessible */
export async function findWebhook(ports: Pick<Ports, 'webhooks'>, caller: Caller, id: string): Promise<Webhook> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.webhooks.find(uuid)));
}

/** Lists webhooks, newest first. */
export const listWebhooks = (
  ports: Pick<Ports, 'webhooks'>,
  workspace: Pick<Workspace, 'id'>,
  page: PageRequest,
): Promise<Rows<Webhook>> => ports.webhooks.list(workspace.id, sliceOf(page));

/**
 * Changes the given fields. Enabling a webhook clears the reason why it was disabled.
 *
 * @throws Refusal `missing_scope` unless the token may read what the webhook will receive, `invalid` on `url`,
 *   `not_found` if it was deleted meanwhile
 */
export async function changeWebhook(
  ports: Pick<Ports, 'webhooks' | 'webhookSender' | 'clock'>,
  caller: Caller,
  webhook: Webhook,
  change: WebhookChange,
): Promise<Webhook> {
  requireTypes(caller, webhook.workspaceId, change.types === undefined ? webhook.types : change.types);
  if (change.url !== undefined) requireUrl(ports, change.url);
  const changed = await ports.webhooks.update(webhook.id, change, ports.clock.now());
  if (changed === null) throw notFound();
  return changed;
}

/**
 * Replaces the secret. For {@link ROTATION_OVERLAP}, deliveries are also signed with the previous one.
 *
 * @throws Refusal `missing_scope` unless the token may read what the webhook receives, `not_found` if it was deleted
 *   meanwhile
 */
export async function rotateWebhookSecret(
  ports: Pick<Ports, 'webhooks' | 'webhookSecrets' | 'clock'>,
  caller: Caller,
  { id, workspaceId, types }: Webhook,
  complete?: Completing<WebhookWithSecret>,
): Promise<WebhookWithSecret> {
  requireTypes(caller, workspaceId, types);
  const now = ports.clock.now();
  const { secret, sealed } = ports.webhookSecrets.make(id);
  const completing = complete && ((rotated: Webhook) => complete({ webhook: rotated, secret }));
  const webhook = await ports.webhooks.rotate(id, sealed, now + ROTATION_OVERLAP, now, completing);
  if (webhook === null) throw notFound();
  return { webhook, secret };
}

/** Deletes a webhook with its deliveries. @throws Refusal `not_found` if it was deleted meanwhile */
export async function deleteWebhook(ports: Pick<Ports, 'webhooks' | 'clock'>, { id }: Webhook): Promise<void> {
  if (!(await ports.webhooks.delete(id, ports.clock.now()))) throw notFound();
}

/**
 * Requires the scopes of the events: a webhook outlives the token that made it, and must not receive more than the
 * token could read.
 */
function requireTypes(caller: Caller, workspaceId: Uuid, types: Webhook['types']): void {
  for (const type of typesOf({ types })) requireAlso(caller, workspaceId, scopeOfEvent(type));
}

function requireUrl({ webhookSender }: Pick<Ports, 'webhookSender'>, url: string): void {
  const refusal = webhookSender.refuse(url);
  if (refusal !== null) throw invalid('url', refusal);
}
