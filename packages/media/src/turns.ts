import { Turns } from '@postshelf/domain';

/** Shared by all files that are walked in this process. */
export const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);
