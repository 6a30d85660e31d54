import { factsOf, parseJson, readAnswer } from '../answer.ts';
import type { Connection } from '../connection.ts';
import { aborted, PostshelfError, unreachable, unreadable } from '../error.ts';
import { delay, isPassing, waitAfter } from '../retry.ts';
import type { EventType, PostshelfEvent } from './event.ts';
import { type Message, parseMessages } from './parse.ts';

export interface EventOptions {
  /** The event types to receive. Default: all that the token may read. */
  readonly types?: readonly EventType[] | undefined;
  /** When aborted, ends the iteration with the error `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The id of the last event that you have handled; the stream resumes after it, up to 24 hours back. Default: the
   * stream starts now.
   */
  readonly lastEventId?: string | undefined;
  /** Called for each new connection before its first event, with the id of the event after which the stream starts. */
  readonly onOpen?: ((lastEventId: string | null) => void) | undefined;
  /** Called before the next attempt when a connection has ended or couldn't be opened. */
  readonly onLost?: (() => void) | undefined;
}

/**
 * Milliseconds without data after which a connection counts as lost; the service sends a heartbeat every 15 seconds.
 */
const SILENCE = 40_000;

/** Milliseconds before the next connection attempt: the first pause, and the maximum. */
const PAUSE = { first: 250, longest: 8000 };

/** Yields events, and reconnects indefinitely, resuming after the last event received. @throws PostshelfError */
export async function* events(
  connection: Connection,
  workspace: string,
  { types = [], signal, lastEventId, onOpen, onLost }: EventOptions,
): AsyncGenerator<PostshelfEvent, void, undefined> {
  const query = new URLSearchParams(types.length > 0 ? { types: types.join() } : {});
  const url = `${connection.root}/v1/workspaces/${encodeURIComponent(workspace)}/events?${query}`;
  let last = lastEventId ?? null;
  for (let pause = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.longest)) {
    let wait = waitAfter(null, pause);
    try {
      for await (const { id, event } of connectOnce(connection, url, last, signal)) {
        pause = PAUSE.first;
        last = id ?? last;
        if (event) yield event;
        else onOpen?.(last);
      }
    } catch (error) {
      if (signal?.aborted) throw aborted(signal);
      // A stream continues after a failure of the service itself.
      if (!isPassing(error) && !(error instanceof PostshelfError && error.status === 500)) throw error;
      wait = waitAfter(error, pause);
    }
    onLost?.();
    await delay(wait, signal);
  }
}

interface Received {
  readonly id: string | null;
  /** null if nothing but the stream's start is known: `id` is then the event after which the stream starts. */
  readonly event: PostshelfEvent | null;
}

/** Yields the events of one connection until it ends. */
async function* connectOnce(
  connection: Connection,
  url: string,
  last: string | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<Received, void, undefined> {
  const end = new AbortController();
  const onAbort = () => end.abort();
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(onAbort, SILENCE);
  };
  try {
    heard();
    const response = await open(connection, url, last, end.signal);
    heard();
    // The id is yielded before the first event arrives. If the connection is lost before that, the next one resumes
    // after this id, so no event is missed.
    yield { id: response.headers.get('last-event-id'), event: null };
    for await (const message of parseMessages(response.body, heard)) yield { id: message.id, event: read(message) };
  } catch (error) {
    throw error instanceof PostshelfError ? error : unreachable(error);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', onAbort);
    end.abort();
  }
}

/** Opens a connection. @throws PostshelfError `refused`, `unreachable`, `unreadable`, `no_token` */
async function open(connection: Connection, url: string, last: string | null, signal: AbortSignal) {
  const headers = { ...(await connection.headers()), ...(last !== null && { 'Last-Event-ID': last }) };
  const response = await fetch(url, { headers, signal });
  const { status, body } = response;
  const facts = factsOf((name) => response.headers.get(name));
  if (status !== 200) readAnswer({ status, text: await response.text(), ...facts });
  if (!body || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
    throw unreadable(status, facts.requestId);
  return { headers: response.headers, body };
}

/** Parses a message. @throws PostshelfError `unreadable` */
function read({ id, type, data }: Message): PostshelfEvent {
  if (type === 'reset') return { type, id };
  const event = parseJson(data);
  if (typeof event !== 'object' || event === null) throw unreadable(200, null);
  return { ...event, id } as PostshelfEvent;
}
