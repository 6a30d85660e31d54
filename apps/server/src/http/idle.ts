import { countOpenFiles, openFileLimit } from '../telemetry/open-files.ts';

/** Milliseconds between two checks. A check takes some microseconds. */
const INTERVAL = 50;

/** Share of used descriptors above which few descriptors count as free. */
const LOW = 0.75;

/**
 * Closes connections that are idle between two requests while few descriptors are free. The runtime's own timeout
 * closes connections without a complete head (docs/decisions/25-bun.md).
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
