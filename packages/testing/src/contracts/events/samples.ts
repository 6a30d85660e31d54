import type { LibraryEvent, PlacedEvent, Workspace } from '@postshelf/domain';
import { addWorkspace } from '../samples.ts';
import type { Stores } from '../stores.ts';

/** Told by another instance while something was done. */
export async function toldOf({ events }: Stores, work: () => Promise<unknown>): Promise<readonly LibraryEvent[]> {
  const before = await events.newest();
  await work();
  return (await events.listAfter(before, 1000)).map(({ event }) => event);
}

/** All behind a place, a few at a time, as somebody reads who follows the library. */
export async function follow({ events }: Stores, after: number, limit: number): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  for (;;) {
    const some = await events.listAfter(found.at(-1)?.position ?? after, limit);
    if (some.length === 0) return found;
    found.push(...some);
  }
}

/** A new workspace whose changes are told, without end. */
export async function addListened(stores: Stores): Promise<Workspace> {
  const workspace = await addWorkspace(stores);
  await stores.events.listen([workspace.id], Number.MAX_SAFE_INTEGER);
  return workspace;
}
