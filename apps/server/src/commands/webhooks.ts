import { listDeliveries, listWebhooks, type Ports, testWebhook } from '@postshelf/application';
import {
  DELIVERY_ERRORS,
  type Delivery,
  DISABLED_REASONS,
  MAX_PER_PAGE,
  type PageRequest,
  type Rows,
  type Webhook,
} from '@postshelf/domain';
import { Command } from 'commander';
import { composeForReading } from '../compose/read-only.ts';
import { print, recordCommand, showTime, table, withComposition } from './run.ts';
import { findWorkspace, readId, unknownId } from './workspaces.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('list and test webhooks, and show the outcome of deliveries');
  webhook
    .command('list')
    .description('list the webhooks of a workspace, newest first')
    .requiredOption('--workspace <id>', 'as shown by workspace list')
    .option('--json', 'print one JSON object')
    .action(({ workspace, json }: { workspace: string } & JsonOption) =>
      withComposition(async ({ ports }) => {
        const found = await findWorkspace(ports, workspace);
        const all = await everyPage((page) => listWebhooks(ports, found, page));
        print(json, { data: all.map(showWebhook) }, table(WEBHOOK_HEADS, all.map(describeWebhook)));
      }, composeForReading),
    );
  webhook
    .command('test')
    .description('have the service send webhook.test to a webhook, whatever its types')
    .argument('<id>', 'as shown by webhook list')
    .option('--json', 'print one JSON object')
    .action((id: string, { json }: JsonOption) =>
      withComposition(async ({ ports }) => {
        const found = await findWebhook(ports, id);
        const delivery = await testWebhook(ports, found);
        await recordCommand(ports, 'webhooks.test', { subjectId: found.id, workspaceId: found.workspaceId });
        print(json, showDelivery(delivery), [
          `Delivery ${delivery.id} will be sent when the service runs. "webhook deliveries ${delivery.webhookId}" shows the outcome.`,
        ]);
      }),
    );
  webhook
    .command('deliveries')
    .description('list the last deliveries of a webhook, newest first')
    .argument('<id>', 'as shown by webhook list')
    .option('--json', 'print one JSON object')
    .action((id: string, { json }: JsonOption) =>
      withComposition(async ({ ports }) => {
        const found = await findWebhook(ports, id);
        const { items } = await listDeliveries(ports, found, { page: 1, perPage: MAX_PER_PAGE });
        print(json, { data: items.map(showDelivery) }, table(DELIVERY_HEADS, items.map(describeDelivery)));
      }, composeForReading),
    );
  return webhook;
}

async function findWebhook(ports: Pick<Ports, 'webhooks'>, id: string): Promise<Webhook> {
  const found = await ports.webhooks.find(readId('webhook', id));
  if (!found) throw unknownId('webhook', id);
  return found;
}

async function everyPage<T>(read: (page: PageRequest) => Promise<Rows<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { items } = await read({ page, perPage: MAX_PER_PAGE });
    all.push(...items);
    if (items.length < MAX_PER_PAGE) return all;
  }
}

const showWebhook = ({ id, workspaceId, url, types, enabled, disabledReason, createdAt, updatedAt }: Webhook) => ({
  id,
  workspace: workspaceId,
  url,
  types,
  enabled,
  disabled_reason: disabledReason && DISABLED_REASONS[disabledReason],
  created_at: showTime(createdAt),
  updated_at: showTime(updatedAt),
});

const WEBHOOK_HEADS = ['ID', 'URL', 'TYPES', 'STATE', 'CREATED'];

function describeWebhook(webhook: Webhook): readonly string[] {
  const { id, url, types, enabled, disabled_reason, created_at } = showWebhook(webhook);
  const state = enabled ? 'enabled' : `disabled${disabled_reason === null ? '' : `: ${disabled_reason}`}`;
  return [id, url, types?.join(' ') ?? 'all', state, created_at ?? ''];
}

const showDelivery = ({ id, event, status, attempts, ...last }: Delivery) => ({
  id,
  event,
  status,
  attempts,
  next_attempt_at: showTime(last.nextAttemptAt),
  last_status: last.lastStatus,
  last_error: last.lastError && DELIVERY_ERRORS[last.lastError],
});

const DELIVERY_HEADS = ['ID', 'EVENT', 'STATUS', 'TRIES', 'NEXT', 'LAST ANSWER'];

function describeDelivery(delivery: Delivery): readonly string[] {
  const { id, event, status, attempts, next_attempt_at, last_status, last_error } = showDelivery(delivery);
  const last = [last_status?.toString(), last_error].filter((part) => part !== null && part !== undefined);
  return [id, event.type, status, String(attempts), next_attempt_at ?? '', last.join(' ')];
}
