import { findDelivery, listDeliveries, redeliver, testWebhook } from '@postshelf/application';
import type { Delivery } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { oneWebhook } from './operations.ts';
import { delivery, showDelivery } from './schema.ts';

const tag = 'Webhooks';
const DISABLED = 'On `webhook`: the webhook is disabled.';

export const deliveries = {
  test: operation({
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Test webhook',
    description:
      'Sends a `webhook.test` event soon, whatever the webhook’s `types` are. Like any event, it is retried and listed in the deliveries.',
    tag,
    scope: 'webhooks:write',
    status: 202,
    extension: true,
    statuses: { 422: DISABLED },
    examples: { 422: { webhook: ['The webhook is disabled.'] } },
    within: oneWebhook,
    output: dataAndMessageOf(delivery, 'TestDelivery'),
    async run({ service, within: found, completes }) {
      const answer = (sent: Delivery) => ({ data: showDelivery(sent), message: 'The test will be sent.' });
      return answer(await testWebhook(service.ports, found, completes(answer)));
    },
  }),

  deliveries: operation({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    summary: 'List deliveries of a webhook',
    description: 'Newest first. Finished deliveries are kept for 30 days.',
    tag,
    scope: 'webhooks:read',
    status: 200,
    extension: true,
    within: oneWebhook,
    input: v.object(pageQuery),
    output: pageOf(delivery, 'WebhookDeliveryPage'),
    async run({ service, within: found, input }) {
      const rows = await listDeliveries(service.ports, found, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/webhooks/${found.id}/deliveries`, input, rows, showDelivery);
    },
  }),

  redeliver: operation({
    method: 'POST',
    path: '/webhook_deliveries/{id}/redeliver',
    summary: 'Deliver again',
    description:
      'Delivers the event again soon, with the same `webhook-id`, whatever the outcome was. If that fails, it is retried like a new event.',
    tag,
    scope: 'webhooks:write',
    status: 202,
    extension: true,
    statuses: { 422: DISABLED },
    examples: { 422: { webhook: ['The webhook is disabled.'] } },
    within: within('id', findDelivery),
    output: dataAndMessageOf(delivery, 'RepeatedDelivery'),
    async run({ service, within: found, completes }) {
      const answer = (again: Delivery) => ({
        data: showDelivery(again),
        message: 'The event will be delivered again.',
      });
      return answer(await redeliver(service.ports, found, completes(answer)));
    },
  }),
};
