import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhookSecret,
  type WebhookWithSecret,
} from '@postshelf/application';
import type { FieldErrors } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl, type Service } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { given } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { newWebhook, showWebhook, webhook, webhookChange, webhookWithSecret } from './schema.ts';

const tag = 'Webhooks';
const IN_WORKSPACE = '/workspaces/{workspace}/webhooks';
const ONE = '/webhooks/{id}';

export const oneWebhook = within('id', findWebhook);

const showWithSecret = ({ webhook: item, secret }: WebhookWithSecret) => ({ ...showWebhook(item), secret });

/** Returns the errors of the URL, which are reported along with the errors of other fields. */
async function urlErrors({ ports }: Pick<Service, 'ports'>, url: unknown): Promise<FieldErrors> {
  const refusal = typeof url === 'string' ? ports.webhookSender.refuse(url) : null;
  return refusal === null ? {} : { url: [refusal] };
}

export const webhooks = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List webhooks',
    description: 'Newest first.',
    tag,
    scope: 'webhooks:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: v.object(pageQuery),
    output: pageOf(webhook, 'WebhookPage'),
    async run({ service, within: workspace, input }) {
      const rows = await listWebhooks(service.ports, workspace, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/webhooks`, input, rows, showWebhook);
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Create webhook',
    description:
      'Adds an address that is notified of changes in the workspace from now on. Requests are signed with the secret in the answer, which is shown only once.',
    tag,
    scope: 'webhooks:write',
    status: 201,
    extension: true,
    signs: true,
    within: inWorkspace,
    input: newWebhook,
    output: dataAndMessageOf(webhookWithSecret, 'CreatedWebhook'),
    checkAlso: ({ service }, { url }) => urlErrors(service, url),
    async run({ service, caller, within: workspace, input: { url, types = null }, completes }) {
      const answer = (created: WebhookWithSecret) => ({
        data: showWithSecret(created),
        message: 'The webhook was created.',
      });
      return answer(await createWebhook(service.ports, caller, workspace, { url, types }, completes(answer)));
    },
  }),

  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Show webhook',
    description: 'Returns the webhook without its secret.',
    tag,
    scope: 'webhooks:read',
    status: 200,
    extension: true,
    within: oneWebhook,
    output: dataOf(webhook, 'ShownWebhook'),
    run: async ({ within: found }) => ({ data: showWebhook(found) }),
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update webhook',
    description: 'Absent fields stay as they are. Deliveries in progress go to the new address.',
    tag,
    scope: 'webhooks:write',
    status: 200,
    extension: true,
    within: oneWebhook,
    input: webhookChange,
    output: dataAndMessageOf(webhook, 'UpdatedWebhook'),
    checkAlso: ({ service }, { url }) => urlErrors(service, url),
    async run({ service, caller, within: found, input: { url, types, enabled } }) {
      const change = given({ url, types, enabled });
      const updated = await changeWebhook(service.ports, caller, found, change);
      return { data: showWebhook(updated), message: 'The webhook was updated.' };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete webhook',
    description: 'Deletes the webhook and its deliveries.',
    tag,
    scope: 'webhooks:write',
    status: 204,
    extension: true,
    within: oneWebhook,
    output: v.null(),
    async run({ service, within: found }) {
      await deleteWebhook(service.ports, found);
      return null;
    },
  }),

  rotateSecret: operation({
    method: 'POST',
    path: `${ONE}/rotate_secret`,
    summary: 'Rotate the secret of a webhook',
    description: 'The new secret is shown only once. For 24 hours, requests are also signed with the previous secret.',
    tag,
    scope: 'webhooks:write',
    status: 200,
    extension: true,
    signs: true,
    within: oneWebhook,
    output: dataAndMessageOf(webhookWithSecret, 'RotatedWebhook'),
    async run({ service, caller, within: found, completes }) {
      const answer = (rotated: WebhookWithSecret) => ({
        data: showWithSecret(rotated),
        message: 'The secret was rotated.',
      });
      return answer(await rotateWebhookSecret(service.ports, caller, found, completes(answer)));
    },
  }),
};
