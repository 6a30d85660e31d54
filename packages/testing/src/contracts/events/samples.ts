import type { LibraryEvent, PlacedEvent, Workspace } from '@postshelf/domain';
import { addWorkspace } from '../samples.ts';
import type { Stores } from '../stores.ts';

/** Returns the events that another instance recorded while some work was done. */
export async function eventsDuring({ events }: Stores, work: () => Promise<unknown>): Promise<readonly LibraryEvent[]> {
  const before = await events.newest();
  await work();
  return (await events.listAfter(before, 1000)).map(({ event }) => event);
}

/** Reads all events after a position, a few at a time, like a client that follows the library. */
export async function follow({ events }: Stores, after: number, limit: number): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  for (;;) {
    const some = await events.listAfter(found.at(-1)?.position ?? after, limit);
    if (some.length === 0) return found;
    found.push(...some);
  }
}

/** Adds a workspace, and makes the events repository record its changes without a time limit. */
export async function addListened(stores: Stores): Promise<Workspace> {
  const workspace = await addWorkspace(stores);
  await stores.events.listen([workspace.id], Number.MAX_SAFE_INTEGER);
  return workspace;
}
