import { Turns } from '@postshelf/domain';

/** The turns of this process's event loop, for long work of requests. */
export const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);
