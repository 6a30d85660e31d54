import type { EventType, PostshelfClient } from '@postshelf/client';
import { pause } from '../uploads/repeat.ts';
import type { Told } from './told.ts';

export interface SharedEventsOptions {
  readonly client: PostshelfClient;
  readonly workspace: string;
  /** Tabs of one origin that give the same name share a stream. */
  readonly name: string;
  readonly types?: readonly EventType[] | undefined;
  /** Makes a call, and repeats it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  onTold(told: Told): void;
}

/** Milliseconds after which a stream that was refused is asked for again. */
const WAIT = { first: 1000, longest: 60_000 };

/**
 * Follows the events of a workspace. Of all tabs that are visible, the one that holds a lock reads the stream and tells
 * the others. A hidden one holds no connection, as browsers have few of them and stop scripts of hidden tabs; it listens,
 * and goes on behind the last event when it is visible again. Without locks, as in pages by plain http, each visible tab
 * has a stream.
 *
 * @returns ends it
 */
export function followEvents(options: SharedEventsOptions): () => void {
  const { client, workspace, name, types, attempt, onTold } = options;
  // Browsers have it in secure contexts only.
  const locks = navigator.locks as LockManager | undefined;
  const channel = locks && new BroadcastChannel(name);
  let lastId: string | null = null;
  let wait = WAIT.first;
  let visible: AbortController | null = null;

  const hear = (told: Told): void => {
    if (told.type !== 'lost') lastId = told.id;
    onTold(told);
  };
  const tell = (told: Told): void => {
    channel?.postMessage(told);
    hear(told);
  };
  const read = async (signal: AbortSignal): Promise<void> => {
    const stream = client.events(workspace, {
      types,
      signal,
      lastEventId: lastId ?? undefined,
      onOpen(id) {
        wait = WAIT.first;
        tell({ type: 'open', id, isResumed: lastId !== null });
      },
      onLost: () => tell({ type: 'lost' }),
    });
    for await (const event of stream) tell(event);
  };
  const readInTurn = (signal: AbortSignal): Promise<void> => {
    const turn = () => attempt(() => read(signal));
    return locks ? locks.request(name, { signal }, turn) : turn();
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    for (wait = WAIT.first; !signal.aborted; wait = Math.min(2 * wait, WAIT.longest)) {
      await readInTurn(signal).catch(() => undefined);
      // Refused: this tab looks for itself meanwhile, and another one, which may have a better token, has its turn.
      if (!signal.aborted) hear({ type: 'reset', id: null });
      await pause(wait, signal).catch(() => undefined);
    }
  };
  const look = (): void => {
    if (document.hidden) {
      visible?.abort();
      visible = null;
    } else if (visible === null) {
      visible = new AbortController();
      void follow(visible.signal);
    }
  };

  channel?.addEventListener('message', ({ data }: MessageEvent<Told>) => hear(data));
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    visible?.abort();
    channel?.close();
  };
}
