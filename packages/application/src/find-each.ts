import { turns } from './fair-share/event-loop.ts';

/** Number of rows that are looked up together; PostgreSQL answers these lookups with one query. */
const BATCH = 100;

/** Finds rows by their ids, many at a time. Returns what was found for each id, in the order of the ids. */
export async function findEach<Id, Found>(
  ids: readonly Id[],
  find: (id: Id) => Found | Promise<Found>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const some = ids.slice(start, start + BATCH);
    found.push(...(await Promise.all(some.map((id) => find(id)))));
    await turns.next();
  }
  return found;
}
