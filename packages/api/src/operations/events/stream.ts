import { requireWorkspace } from '@postshelf/application';
import type { LibraryEvent } from '@postshelf/domain';
import { admit } from '../../admit.ts';
import { renderError } from '../../errors.ts';
import type { Exchange } from '../../exchange.ts';
import type { Service } from '../../service.ts';
import { readFields } from '../fields/field-errors.ts';
import { openEvents, readEvents } from './read-events.ts';
import { eventsQuery } from './schema.ts';
import { showEvent, showReset } from './show.ts';

export const EVENT_STREAM = 'text/event-stream';

const HEADERS = { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** A heartbeat: a comment, which clients ignore. */
const SIGN_OF_LIFE = ':\n\n';

/** Serves `GET /workspaces/{workspace}/events` as Server-Sent Events (docs/api.md, "Events"). */
export async function streamEvents(exchange: Exchange, workspaceId: string, query: object): Promise<Response> {
  const { service, facts } = exchange;
  const caller = await admit(exchange, null);
  const workspace = await requireWorkspace(service.ports, caller, workspaceId);
  const { types, last_event_id } = readFields(eventsQuery, query, true);
  // The header has precedence, because browsers that reconnect send it, while the URL still has an older id.
  const lastId = facts.request.headers.get('last-event-id') || last_event_id || null;
  const audience = { service, caller, workspace, signal: facts.signal };
  const opened = await openEvents(audience, { types, lastId });
  const first = opened.hasGap
    ? `event: reset\ndata: ${JSON.stringify(showReset(workspace.id, service.ports.clock.now()))}\n\n`
    : '\n';
  // This id, which has no event, is the resume point of a client that disconnects before its first event.
  const body = textsOf(service, `:\nid: ${opened.startId}\n${first}`, readEvents(audience, opened));
  const onFault = (cause: unknown): void => service.observer.fault(cause, facts);
  // The header is for clients whose parser ignores an id without an event.
  const headers = { ...HEADERS, 'Last-Event-ID': opened.startId };
  return new Response(inPulls(body, { onFault, onEnd: () => opened.stream.close() }), { headers });
}

async function* textsOf(
  service: Service,
  first: string,
  batches: AsyncIterable<readonly LibraryEvent[]>,
): AsyncGenerator<string, void> {
  yield first;
  for await (const events of batches) {
    yield events.length === 0 ? SIGN_OF_LIFE : events.map((event) => blockOf(service, event)).join('');
  }
}

/** Caches the text of each event, because many streams send the same event. */
const blocks = new WeakMap<LibraryEvent, string>();

function blockOf(service: Service, event: LibraryEvent): string {
  const known = blocks.get(event);
  if (known !== undefined) return known;
  const block = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(showEvent(service, event))}\n\n`;
  blocks.set(event, block);
  return block;
}

interface StreamEnd {
  readonly onFault: (cause: unknown) => void;
  /** Called when the stream ends, for whatever reason. */
  readonly onEnd: () => void;
}

/** Returns a stream of the texts. The stream requests no text until it is read. */
function inPulls(texts: AsyncGenerator<string, void>, { onFault, onEnd }: StreamEnd): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const next = async (): Promise<string | null> => {
    try {
      const { done, value } = await texts.next();
      return done ? null : value;
    } catch (cause) {
      // Only faults are reported. A caller that lost its access learns the reason from its next request.
      if (renderError(cause).isFault) onFault(cause);
      return null;
    }
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const text = await next();
        if (text !== null) return controller.enqueue(encoder.encode(text));
        onEnd();
        controller.close();
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}
