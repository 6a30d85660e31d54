import { EVENT_TYPES, isEventType } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { namesIn } from '../fields/values.ts';
import { folder } from '../folders/schema.ts';
import { mediaContent } from '../media/schema.ts';
import { post } from '../posts/schema.ts';
import { usage } from '../workspaces/schema.ts';

const types = namesIn(isEventType, 'must name types of events.', {
  description: 'Only events of these types, separated by commas; all types if omitted.',
  examples: ['media.active,media.failed'],
});

/** The resume point of a stream. It is never invalid: an unknown id is answered with a `reset` event. */
const lastEventId = documented(v.string(), {
  description:
    'The id of the last event that the client received, at most 24 hours ago. The stream continues after that event. The header `Last-Event-ID`, which browsers send when they reconnect, means the same and takes precedence.',
});

export const eventsQuery = v.object({ types: v.optional(types), last_event_id: v.optional(lastEventId) });

/** The field names are the ones that tRPC's own clients send. */
export const subscriptionInput = v.object({
  types: v.optional(v.nullable(types)),
  lastEventId: v.optional(v.nullable(v.string())),
});

const id = documented(v.string(), { format: 'uuid' });

const { text: _, ...eventPost } = post.entries;

const deleted = documented(v.object({ id }), { title: 'DeletedResource', description: 'What was deleted.' });

const TYPES = [...EVENT_TYPES, 'reset'] as const;

export const event = documented(
  v.object({
    type: documented(v.picklist(TYPES), {
      description:
        'What happened. `reset`: the events that the client missed are no longer available, so the client has to read everything again.',
    }),
    timestamp: documented(v.string(), {
      description: 'When it happened, in UTC; later than the previous event of the same resource.',
      format: 'date-time',
    }),
    workspace: id,
    data: documented(
      v.union([
        mediaContent,
        documented(v.object(eventPost), { title: 'EventPostResource', description: 'A post without its text.' }),
        folder,
        usage,
        deleted,
        v.null(),
      ]),
      {
        description:
          'The resource after the change; a post has no `text`, and a deleted resource has only its `id`. For `workspace.quota` it is the usage, and for `reset` null.',
      },
    ),
  }),
  { title: 'EventResource' },
);

export type EventResource = v.InferOutput<typeof event>;
