import type { EventType, PostshelfClient } from '@postshelf/client';
import { pause } from '../uploads/retry.ts';
import type { StreamMessage } from './stream-message.ts';

export interface SharedEventsOptions {
  readonly client: PostshelfClient;
  readonly workspace: string;
  /** Tabs of one origin that use the same name share a stream. */
  readonly name: string;
  readonly types?: readonly EventType[] | undefined;
  /** Makes a call, and retries it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  onMessage(message: StreamMessage): void;
}

/** Milliseconds before a refused stream is requested again: the first pause, and the maximum. */
const WAIT = { first: 1000, longest: 60_000 };

/**
 * Follows the events of a workspace. Of all visible tabs, the one that holds a lock reads the stream and forwards its
 * events to the others. A hidden tab holds no connection, because browsers allow only a few and stop the scripts of
 * hidden tabs. It receives the forwarded events instead, and resumes after the last one when it becomes visible.
 * Without locks, as in pages served over plain HTTP, each visible tab has its own stream.
 *
 * @returns a function that stops following
 */
export function followEvents(options: SharedEventsOptions): () => void {
  const { client, workspace, name, types, attempt, onMessage } = options;
  // Browsers provide locks only in secure contexts.
  const locks = navigator.locks as LockManager | undefined;
  const channel = locks && new BroadcastChannel(name);
  let lastId: string | null = null;
  let wait = WAIT.first;
  let visible: AbortController | null = null;

  const receive = (message: StreamMessage): void => {
    if (message.type !== 'lost') lastId = message.id;
    onMessage(message);
  };
  const broadcast = (message: StreamMessage): void => {
    channel?.postMessage(message);
    receive(message);
  };
  const read = async (signal: AbortSignal): Promise<void> => {
    const stream = client.events(workspace, {
      types,
      signal,
      lastEventId: lastId ?? undefined,
      onOpen(id) {
        wait = WAIT.first;
        broadcast({ type: 'open', id, isResumed: lastId !== null });
      },
      onLost: () => broadcast({ type: 'lost' }),
    });
    for await (const event of stream) broadcast(event);
  };
  const readInTurn = (signal: AbortSignal): Promise<void> => {
    const turn = () => attempt(() => read(signal));
    return locks ? locks.request(name, { signal }, turn) : turn();
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    for (wait = WAIT.first; !signal.aborted; wait = Math.min(2 * wait, WAIT.longest)) {
      await readInTurn(signal).catch(() => undefined);
      // The stream was refused, so this tab may miss events. It refreshes everything now, and tries again after a
      // pause. During the pause, another tab, which may have a valid token, can read the stream.
      if (!signal.aborted) receive({ type: 'reset', id: null });
      await pause(wait, signal).catch(() => undefined);
    }
  };
  const followWhileVisible = (): void => {
    if (document.hidden) {
      visible?.abort();
      visible = null;
    } else if (visible === null) {
      visible = new AbortController();
      void follow(visible.signal);
    }
  };

  channel?.addEventListener('message', ({ data }: MessageEvent<StreamMessage>) => receive(data));
  document.addEventListener('visibilitychange', followWhileVisible);
  followWhileVisible();
  return () => {
    document.removeEventListener('visibilitychange', followWhileVisible);
    visible?.abort();
    channel?.close();
  };
}
