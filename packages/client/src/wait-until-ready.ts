import type { Connection } from './connection.ts';
import { aborted, PostshelfError } from './error.ts';
import { events } from './events/events.ts';
import type { MediaItem } from './media-item.ts';
import { isPassing } from './retry.ts';
import type { PostshelfTrpc } from './trpc.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call fails with `timeout`. Default: ten minutes; `Infinity`: never. */
  readonly timeout?: number | undefined;
  /**
   * The item's workspace. If given, the workspace's events report changes immediately, and the item is only polled
   * every 5 seconds.
   */
  readonly workspace?: string | undefined;
}

const DEFAULT_TIMEOUT = 10 * 60 * 1000;

/** Milliseconds between two polls: the first pause, the longest, and the factor by which the pause grows. */
const PAUSE = { first: 250, longest: 5000, factor: 1.5 };

const SETTLING = ['media.active', 'media.failed', 'media.deleted'] as const;

/** Maximum number of failed polls in a row; polls also fail during a restart of the service. */
const MAX_FAILURES = 5;

/** Maximum timer delay in milliseconds; a timer with a longer delay would fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Polls an item with growing pauses until it is `active`. @throws PostshelfError */
export async function waitUntilReady(
  connection: Connection,
  trpc: PostshelfTrpc,
  id: string,
  { signal, timeout = DEFAULT_TIMEOUT, workspace }: WaitOptions,
): Promise<MediaItem> {
  const end = new AbortController();
  const onAbort = () => signal && end.abort(aborted(signal));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const message = `The media item was not ready after ${timeout} ms.`;
  const timer =
    timeout <= LONGEST_TIMER ? setTimeout(() => end.abort(new PostshelfError('timeout', message)), timeout) : undefined;
  try {
    const bell = workspace === undefined ? null : ringOnEvents(connection, workspace, id, end.signal);
    return await poll(trpc, id, end.signal, bell);
  } catch (error) {
    throw end.signal.aborted ? end.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    end.abort();
  }
}

/** A signal that an event has reported a change of the item. */
interface Bell {
  /** Whether an event has arrived since the last poll. */
  isRung: boolean;
  wake: () => void;
}

/** Returns a bell that rings on each event of the item. If no events arrive, the caller still polls. */
function ringOnEvents(connection: Connection, workspace: string, id: string, signal: AbortSignal): Bell {
  const bell: Bell = { isRung: false, wake: () => undefined };
  const listen = async () => {
    for await (const event of events(connection, workspace, { types: SETTLING, signal }))
      if (event.type === 'reset' || event.data.id === id) {
        bell.isRung = true;
        bell.wake();
      }
  };
  listen().catch(() => undefined);
  return bell;
}

async function poll(trpc: PostshelfTrpc, id: string, signal: AbortSignal, bell: Bell | null): Promise<MediaItem> {
  let failures = 0;
  for (let pause = bell ? PAUSE.longest : PAUSE.first; ; pause = Math.min(pause * PAUSE.factor, PAUSE.longest)) {
    if (bell) bell.isRung = false;
    try {
      const { data } = await trpc.media.get.query({ id }, { signal });
      if (data.status === 'active') return data;
      if (data.status === 'failed') throw new PostshelfError('failed', data.error_message ?? 'The import failed.');
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!isPassing(error) || failures >= MAX_FAILURES) throw error;
    }
    await delay(pause, signal, bell);
  }
}

function delay(ms: number, signal: AbortSignal, bell: Bell | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (!bell) return;
    bell.wake = end;
    if (bell.isRung) end();
  });
}
