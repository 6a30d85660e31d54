import { countOpenFiles, openFileLimit } from '../telemetry/open-files.ts';

/** Milliseconds between two checks. A check takes a few microseconds. */
const INTERVAL = 50;

/** Idle connections are closed if more than this share of all file descriptors is in use. */
const LOW = 0.75;

/**
 * While few file descriptors are free, closes connections that are idle between two requests. Connections with an
 * incomplete request head aren't idle in this sense; the runtime's own timeout closes them (docs/decisions/25-bun.md).
 *
 * @param onClosed called with the number of closed connections
 * @returns a function that ends the watch
 */
export function closeIdleWhenLow(server: Bun.Server<undefined>, onClosed: (count: number) => void): () => void {
  const limit = openFileLimit();
  if (limit === null) return () => undefined;
  const timer = setInterval(() => {
    if ((countOpenFiles() ?? 0) <= limit * LOW) return;
    const closed = server.closeIdleConnections();
    if (closed > 0) onClosed(closed);
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}
