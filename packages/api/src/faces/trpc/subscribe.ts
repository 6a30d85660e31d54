import { requireWorkspace } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import { TRPCError, type TrackedEnvelope, tracked } from '@trpc/server';
import type * as v from 'valibot';
import type { Caller } from '../../admit.ts';
import { renderError } from '../../errors.ts';
import type { Exchange } from '../../exchange.ts';
import { openEvents, readEvents } from '../../operations/events/read-events.ts';
import { type EventResource, subscriptionInput } from '../../operations/events/schema.ts';
import { showEvent, showReset } from '../../operations/events/show.ts';
import { readFields } from '../../operations/fields/field-errors.ts';
import { inWorkspace } from '../../operations/operation.ts';
import { codeOf } from './errors.ts';

export type Subscription = v.InferInput<typeof subscriptionInput> & { workspace: string };

/**
 * Returns an error that ends the subscription, so that the client reconnects. Without an error, tRPC would tell the
 * client that no more events follow.
 */
const lost = (): DOMException => new DOMException('The stream has ended.', 'AbortError');

/**
 * Subscribes to the events of a workspace, each with its id.
 *
 * @param raw the input, as received
 * @throws Refusal before the first event
 */
export async function subscribe(
  { service, facts }: Pick<Exchange, 'service' | 'facts'>,
  caller: Caller,
  raw: unknown,
  signal: AbortSignal = facts.signal,
): Promise<AsyncGenerator<TrackedEnvelope<EventResource>, void>> {
  const named = readFields(inWorkspace.schema, raw);
  const workspace = await requireWorkspace(service.ports, caller, named.workspace);
  const { types, lastEventId } = readFields(subscriptionInput, raw);
  const audience = { service, caller, workspace, signal };
  const opened = await openEvents(audience, { types, lastId: lastEventId || null });
  const { stream, hasGap, startId } = opened;
  return (async function* () {
    try {
      if (hasGap) yield tracked(startId, showReset(workspace.id, service.ports.clock.now()));
      for await (const events of readEvents(audience, opened)) {
        for (const event of events) yield tracked(event.id, showEvent(service, event));
      }
      throw lost();
    } catch (error) {
      throw error instanceof Refusal ? withCode(error) : error;
    } finally {
      stream.close();
    }
  })();
}

/** Adds the code by which clients decide whether to reconnect. */
function withCode(cause: Refusal): TRPCError {
  const { status, body } = renderError(cause);
  return new TRPCError({ code: codeOf(status), message: body.message, cause });
}
