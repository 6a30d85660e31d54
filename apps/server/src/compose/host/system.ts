import { type Clock, type Ids, parseUuid } from '@postshelf/domain';

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Bun's UUIDv7 has a counter within each millisecond, so the ids of one process sort by creation. */
export const systemIds: Ids = {
  next() {
    const id = parseUuid(Bun.randomUUIDv7());
    if (!id) throw new Error('Bun.randomUUIDv7 did not return a UUID.');
    return id;
  },
};
