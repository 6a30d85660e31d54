import { type OpenedStream, requireEntry, requireWorkspace } from '@postshelf/application';
import {
  EVENT_TYPES,
  type EventType,
  type LibraryEvent,
  type Problem,
  Refusal,
  STREAM_HEARTBEAT,
  scopeOfEvent,
  type Workspace,
} from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import type { Service } from '../../service.ts';

/**
 * Codes of refusals that end a stream. After any other refusal, the stream continues until the next check. An exhausted
 * rate limit doesn't end a stream.
 */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'forbidden', 'not_found'];

interface Wanted {
  readonly types: readonly EventType[] | null | undefined;
  readonly lastId: string | null;
}

interface Audience {
  readonly service: Service;
  readonly caller: Caller;
  readonly workspace: Workspace;
  /** The request's signal, which closes the stream. */
  readonly signal: AbortSignal;
}

/** Opens a stream of the events that the caller wants and may read. @throws Refusal `busy` */
export async function openEvents(
  { service, caller, workspace, signal }: Audience,
  { types, lastId }: Wanted,
): Promise<OpenedStream> {
  const { scopes } = requireEntry(caller, workspace.id);
  const readable = (types ?? EVENT_TYPES).filter((type) => scopes.includes(scopeOfEvent(type)));
  const request = { holder: caller.who.access.holder, workspaceId: workspace.id, types: new Set(readable), lastId };
  const opened = await service.feed.open(request);
  const close = (): void => opened.stream.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  return opened;
}

/**
 * Yields the events of a stream as they occur, and an empty list as a heartbeat.
 *
 * @returns when the stream has ended, after which a client may reconnect
 * @throws Refusal when the caller may no longer read the stream
 */
export async function* readEvents(
  { service, caller, workspace }: Audience,
  { stream }: OpenedStream,
): AsyncGenerator<readonly LibraryEvent[], void> {
  let checkAt = performance.now() + STREAM_HEARTBEAT;
  for (;;) {
    const events = await stream.next(Math.max(checkAt - performance.now(), 0));
    if (events === null) return;
    if (performance.now() >= checkAt) {
      await requireStillReadable(service, caller, workspace);
      checkAt = performance.now() + STREAM_HEARTBEAT;
    }
    yield events;
  }
}

/** Checks that the caller may still read the stream. @throws Refusal if the stream has to end */
async function requireStillReadable(service: Service, caller: Caller, workspace: Workspace): Promise<void> {
  try {
    await requireWorkspace(service.ports, await caller.requireStillEntered(), workspace.id);
  } catch (error) {
    // Other errors are ignored. While the database is unreachable, no events are sent anyway, and the feed reports the
    // fault.
    if (error instanceof Refusal && FINAL.includes(error.problem.code)) throw error;
  }
}
