/** Milliseconds between two looks at what is still under way. */
const LOOK_INTERVAL = 25;

/** Milliseconds that handlers have to tidy up behind requests that were cut off. */
const TIDY_TIME = 1_000;

/**
 * Takes no new requests, lets those under way end, and cuts off what isn't answered by the deadline. Bun's own stop
 * waits for connections too whose request hasn't come whole, up to twelve seconds each; nobody waits for those here.
 *
 * @returns how many requests were cut off
 */
export async function stopServer(server: Bun.Server<undefined>, deadline: AbortSignal): Promise<number> {
  const closed = server.stop();
  while (server.pendingRequests > 0 && !deadline.aborted) await Bun.sleep(LOOK_INTERVAL);
  const cutOff = server.pendingRequests;
  await server.stop(true);
  await Promise.race([closed, Bun.sleep(cutOff > 0 ? TIDY_TIME : 0)]);
  return cutOff;
}
