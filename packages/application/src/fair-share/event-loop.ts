import { Turns } from '@postshelf/domain';

export const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);
