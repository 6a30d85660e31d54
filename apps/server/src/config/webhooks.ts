import { DEFAULT_WEBHOOK_RETRY_DELAYS } from '@postshelf/domain';
import * as v from 'valibot';
import { isNetwork } from './imports.ts';
import { listOf, type Read } from './setting-kinds.ts';

export interface WebhookConfig {
  /** Networks, some with a port, to which webhooks may be sent even though the networks aren't public. */
  readonly webhookAllowedNetworks: readonly string[];
  /** Milliseconds before the second attempt of a delivery, before the third, and so on. */
  readonly webhookRetryDelays: readonly number[];
}

/** Matches a network with an optional port. An IPv6 network may be in brackets. */
const NETWORK_WITH_PORT = /^(?:\[([^[\]]*:[^[\]]*)\]|([^[\]/]+))(\/\d+)(?::([1-9]\d{0,4}))?$/;

function isNetworkWithPort(value: string): boolean {
  const [, bracketed, plain, bits = '', port = '1'] = NETWORK_WITH_PORT.exec(value) ?? [];
  return isNetwork(`${bracketed ?? plain}${bits}`) && Number(port) <= 65_535;
}

export const webhookSettings = {
  WEBHOOK_ALLOWED_NETWORKS: v.optional(
    listOf('must be networks, with or without a port, such as 10.0.0.0/8,127.0.0.1/32:8080', isNetworkWithPort),
    '',
  ),
  WEBHOOK_RETRY_DELAYS: v.optional(
    v.pipe(
      listOf('must be milliseconds such as 5000,300000', (item) => /^\d{1,9}$/.test(item)),
      v.transform((items) => items.map(Number)),
    ),
    DEFAULT_WEBHOOK_RETRY_DELAYS.join(),
  ),
};

export const readWebhooks = (read: Read<typeof webhookSettings>): WebhookConfig => ({
  webhookAllowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS,
  webhookRetryDelays: read.WEBHOOK_RETRY_DELAYS,
});
