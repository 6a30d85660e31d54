import { type Kysely, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import { beforeQueries, scanCancelled } from '../store/scan.ts';
import type { ScanStore } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/**
 * Returns what a scan reads from. Once the signal is aborted, the scan's query is cancelled at the server.
 *
 * @param canceller a pool of connections that scans don't use
 */
export function scanStore(sources: ScanStore, canceller: Kysely<Tables>, signal: AbortSignal | undefined): ScanStore {
  if (!signal) return sources;
  const requireWanted = (): void => {
    if (signal.aborted) throw scanCancelled();
  };
  return {
    ...sources,
    compute: (computation, ...parameters) => {
      requireWanted();
      return sources.compute(computation, ...parameters);
    },
    read: (work) =>
      sources.read(async (queries) => {
        const stop = await cancelOnAbort(queries, canceller, signal);
        try {
          return await work(queries.withPlugin(beforeQueries(requireWanted)));
        } catch (error) {
          requireWanted();
          throw error;
        } finally {
          await stop();
        }
      }),
  };
}

/**
 * Cancels the connection's query when the signal aborts.
 *
 * @returns a function that stops listening; await it within the transaction, because a late cancellation would hit the
 *   connection's next query
 */
async function cancelOnAbort(
  queries: Queries,
  canceller: Kysely<Tables>,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries);
  if (signal.aborted) throw scanCancelled();
  let cancelling: Promise<unknown> | null = null;
  const cancel = (): void => {
    // If cancelling fails, the statement's time limit ends the query.
    cancelling = sql`select pg_cancel_backend(${rows[0]?.pid}::integer)`.execute(canceller).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel);
  return async () => {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  };
}
