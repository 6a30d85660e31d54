import {
  DELIVERY_ERRORS,
  type Delivery,
  DISABLED_REASONS,
  EVENT_TYPES,
  type EventType,
  MAX_WEBHOOK_URL,
  type Webhook,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { dateTime, integer, listOf, maxCodePoints, noneTwice, showTime } from '../fields/values.ts';

/**
 * A webhook's URL. Unlike the URL of an import, it is stored as given, because it is shown again. Characters that URLs
 * can't contain are refused, because some of them can't be stored in a database.
 */
const url = v.pipe(
  documented(v.string(), {
    description:
      'Public http or https address, without credentials, that receives the requests. Addresses that aren’t public are refused, or deliveries to them fail.',
    format: 'uri',
    maxLength: MAX_WEBHOOK_URL,
    examples: ['https://example.com/postshelf'],
  }),
  maxCodePoints(MAX_WEBHOOK_URL),
  v.check((text) => !/[\s\p{Cc}\p{Cs}]/u.test(text), 'must be a valid http or https URL.'),
);

const types = v.nullable(
  v.pipe(listOf(v.picklist(EVENT_TYPES), EVENT_TYPES.length, 1), noneTwice<EventType>(EVENT_TYPES.length)),
);

const typesOf = (absent: string) =>
  v.optional(
    documented(types, {
      description: `The event types that the webhook receives; null: all, including those of later releases; absent: ${absent}. The token needs the scopes to read all of them.`,
      examples: [['media.active', 'media.failed']],
    }),
  );

export const newWebhook = documented(v.object({ url, types: typesOf('all as well') }), { title: 'NewWebhook' });

export const webhookChange = documented(
  v.object({
    url: v.optional(url),
    types: typesOf('they stay as they are'),
    enabled: v.optional(
      documented(v.boolean(), {
        description:
          'true: enables the webhook and clears the reason for which it was disabled. false: stops all deliveries.',
      }),
    ),
  }),
  { title: 'WebhookChange', description: 'Absent fields stay as they are.' },
);

const sentences = <Key extends string>(texts: Readonly<Record<Key, string>>, description: string) =>
  v.nullable(documented(v.picklist(Object.values<string>(texts)), { description }));

const webhookFields = {
  id: documented(v.string(), { format: 'uuid' }),
  url: documented(v.string(), { format: 'uri' }),
  types: v.nullable(v.array(v.picklist(EVENT_TYPES))),
  enabled: v.boolean(),
  disabled_reason: sentences(
    DISABLED_REASONS,
    'Why the service disabled the webhook; null if it is enabled, or was disabled by a request.',
  ),
  created_at: dateTime('When it was created.'),
  updated_at: dateTime('When it was last changed.'),
};

const example = {
  id: '019f5b0e-a1c4-7e60-9b27-3c8d5f1a6e04',
  url: 'https://example.com/postshelf',
  types: ['media.active', 'media.failed'],
  enabled: true,
  disabled_reason: null,
  created_at: '2026-11-21T18:30:00.000Z',
  updated_at: '2026-11-21T18:30:00.000Z',
} as const;

export const webhook = documented(v.object(webhookFields), {
  title: 'WebhookResource',
  description: 'An address that is notified of changes in a workspace.',
  examples: [{ ...example, types: [...example.types] }],
});

export const webhookWithSecret = documented(
  v.object({
    ...webhookFields,
    secret: documented(v.string(), { description: 'The secret that signs the requests, shown only in this answer.' }),
  }),
  {
    title: 'WebhookWithSecretResource',
    examples: [{ ...example, types: [...example.types], secret: 'whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=' }],
  },
);

export const delivery = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    event: v.object({
      id: documented(v.string(), { description: 'The `webhook-id` of every attempt.', format: 'uuid' }),
      type: v.picklist([...EVENT_TYPES, 'webhook.test']),
    }),
    status: documented(v.picklist(['pending', 'delivered', 'failed']), {
      description: '`failed`: no further attempt is made.',
    }),
    attempts: integer('Number of attempts so far.'),
    next_attempt_at: v.nullable(dateTime('When the next attempt is due; null once the delivery is finished.')),
    last_status: v.nullable(integer('The HTTP status of the receiver’s last answer; null if there was none.')),
    last_error: sentences(DELIVERY_ERRORS, 'Why the last attempt failed; null if none has failed.'),
  }),
  {
    title: 'WebhookDeliveryResource',
    description: 'The delivery of an event to a webhook.',
    examples: [
      {
        id: '019f5b0e-b2d5-7f71-8c38-4d9e602b7f15',
        event: { id: '019f5b0e-b2d4-7a10-9d49-5eaf713c8026', type: 'media.active' },
        status: 'pending',
        attempts: 1,
        next_attempt_at: '2026-11-21T18:30:05.000Z',
        last_status: 500,
        last_error: DELIVERY_ERRORS.status,
      },
    ],
  },
);

export const showWebhook = (item: Webhook): v.InferInput<typeof webhook> => ({
  id: item.id,
  url: item.url,
  types: item.types && [...item.types],
  enabled: item.enabled,
  disabled_reason: item.disabledReason && DISABLED_REASONS[item.disabledReason],
  created_at: showTime(item.createdAt),
  updated_at: showTime(item.updatedAt),
});

export const showDelivery = (item: Delivery): v.InferInput<typeof delivery> => ({
  id: item.id,
  event: { id: item.event.id, type: item.event.type },
  status: item.status,
  attempts: item.attempts,
  next_attempt_at: item.nextAttemptAt === null ? null : showTime(item.nextAttemptAt),
  last_status: item.lastStatus,
  last_error: item.lastError && DELIVERY_ERRORS[item.lastError],
});
