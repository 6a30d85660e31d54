import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import type { PlainRoute } from '../plain-route.ts';
import { event, eventsQuery } from './schema.ts';
import { EVENT_STREAM } from './stream.ts';

/** The event's schema is given separately, because no keyword describes the fields of a stream. */
const stream = documented(v.string(), {
  title: 'EventStream',
  description:
    'An endless stream of Server-Sent Events, each with `id`, `event` (the type) and `data`, an `EventResource` on one line.',
  contentMediaType: EVENT_STREAM,
  contentSchema: event,
});

/**
 * The header `Last-Event-ID` is described in words, because some generators make an argument of each parameter, and
 * spell it like `last_event_id`.
 */
export const eventsDocument: PlainRoute = {
  method: 'GET',
  path: '/workspaces/{workspace}/events',
  operationId: 'eventsSubscribe',
  summary: 'Follow events',
  description:
    'Streams changes in the workspace as they happen, as far as the token’s scopes allow: media and quotas with `media:read`, folders with `folders:read`, posts with `analytics:read`. Every change that is committed after the headers are sent is delivered once, in order. A comment is sent every 15 seconds.',
  tag: 'Events',
  scope: null,
  status: 200,
  extension: true,
  query: eventsQuery,
  mediaType: EVENT_STREAM,
  output: stream,
};
