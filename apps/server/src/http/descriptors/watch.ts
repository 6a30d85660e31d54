import { countOpenFiles, openFileLimit } from '../../telemetry/open-files.ts';
import { SilentConnections } from './silent-connections.ts';

/** Milliseconds between two checks. One costs some microseconds. */
const INTERVAL = 50;

/** Milliseconds after the start, so as not to slow it down. */
const SETTLED = 500;

/** Share of the limit above which descriptors count as low. */
const LOW = 0.75;

/**
 * Milliseconds of silence while descriptors are low. The kernel has already held a new connection for a second if no
 * byte of it came (TCP_DEFER_ACCEPT).
 */
const SILENCE = { fromTheBeginning: 200, unanswered: 1_000, answered: 10_000 } as const;

export interface WatchedServer {
  readonly server: Bun.Server<undefined>;
  /** Requests that are being answered. */
  readonly answering: ReadonlySet<Request>;
  /** Called with the number of closed connections. */
  readonly onClosed: (count: number) => void;
  /** Called once if silent connections can't be detected here. */
  readonly onUndetectable: (cause: unknown) => void;
}

/**
 * Closes silent connections early while descriptors are low, to free them for other clients: connections that idle
 * between requests, and those that never sent one. The runtime never shortens their timeouts
 * (docs/decisions/022-what-bun-answers.md).
 *
 * @returns a function that ends the watch
 */
export function watchDescriptors(watched: WatchedServer): () => void {
  const limit = openFileLimit();
  if (limit === null) return () => undefined;
  const timer = setInterval(() => {
    if ((countOpenFiles() ?? 0) > limit * LOW) closeSilent();
  }, INTERVAL);
  timer.unref();
  const settled = setTimeout(() => lengthenQueue(), SETTLED);
  settled.unref();

  let connections: SilentConnections | null = null;
  let isBlind = false;
  const closeSilent = (): void => {
    const { server, answering, onClosed } = watched;
    let closed = server.closeIdleConnections();
    if (!isBlind) closed += closeThoseBeforeRequests(server, answering);
    if (closed > 0) onClosed(closed);
  };

  const closeThoseBeforeRequests = (server: Bun.Server<undefined>, answering: ReadonlySet<Request>): number => {
    try {
      const ports = new Set([...answering].map((request) => server.requestIP(request)?.port ?? 0));
      return connectionsOf(server).close({ ...SILENCE, answering: ports });
    } catch (cause) {
      isBlind = true;
      watched.onUndetectable(cause);
      return 0;
    }
  };

  const connectionsOf = (server: Bun.Server<undefined>): SilentConnections => {
    connections ??= new SilentConnections(server.port ?? 0, limit);
    return connections;
  };

  const lengthenQueue = (): void => {
    try {
      connectionsOf(watched.server).lengthenQueue();
    } catch (cause) {
      isBlind = true;
      watched.onUndetectable(cause);
    }
  };

  return () => {
    clearInterval(timer);
    clearTimeout(settled);
  };
}
