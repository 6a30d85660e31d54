import type { LibraryEvent } from '@postshelf/domain';
import { hasDatabaseSpace } from '../database-space.ts';
import type { Ports } from '../ports.ts';

/** Number of events per transaction. */
const BATCH = 100;

/** Creates the deliveries of all events that occurred since this was last called in any process. */
export async function fanOut(
  ports: Pick<Ports, 'deliveries' | 'clock' | 'ids' | 'databaseSpace'>,
  payloadOf: (event: LibraryEvent) => string,
  signal: AbortSignal,
): Promise<void> {
  const { deliveries, clock, ids } = ports;
  const make = { newId: () => ids.next(), payloadOf };
  while (!signal.aborted) {
    // While the disk is low on space, the events wait, because each event may become as many rows as there are
    // webhooks.
    if (!(await hasDatabaseSpace(ports))) return;
    if ((await deliveries.fanOut(BATCH, make, clock.now())) === 0) return;
  }
}
