import { countOpenFiles, openFileLimit } from '../telemetry/open-files.ts';

/** Milliseconds between two checks. A check takes a few microseconds. */
const INTERVAL = 50;

/** Idle connections are closed if more than this share of all file descriptors is in use. */
const LOW = 0.75;

/** Milliseconds that each turn of the event loop waits while connections can't be accepted. */
const PAUSE = 1;

/**
 * While few file descriptors are free, closes connections that are idle between two requests. Connections with an
 * incomplete request head aren't idle in this sense; the runtime's own timeout closes them (docs/decisions/25-bun.md).
 * While none is free, also slows down the event loop, because the runtime tries in each turn to accept a connection
 * that waits, and would use a whole processor.
 *
 * @param onClosed called with the number of closed connections
 * @returns a function that ends the watch
 */
export function closeIdleWhenLow(server: Bun.Server<undefined>, onClosed: (count: number) => void): () => void {
  const limit = openFileLimit();
  if (limit === null) return () => undefined;
  let isFull = false;
  const pause = () => {
    if (!isFull) return;
    Bun.sleepSync(PAUSE);
    setImmediate(pause);
  };
  const timer = setInterval(() => {
    const open = countOpenFiles() ?? 0;
    const wasFull = isFull;
    isFull = open >= limit;
    if (isFull && !wasFull) setImmediate(pause);
    if (open <= limit * LOW) return;
    const closed = server.closeIdleConnections();
    if (closed > 0) onClosed(closed);
  }, INTERVAL);
  timer.unref();
  return () => {
    isFull = false;
    clearInterval(timer);
  };
}
