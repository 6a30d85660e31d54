import { Turns } from '@postshelf/domain';

const onEventLoop = (): Turns =>
  new Turns(
    () => performance.now(),
    (callback) => setImmediate(callback),
  );

export const turns = onEventLoop();

/** Of event streams: thousands may wait for a turn at once, behind whom nothing else is to wait. */
export const turnsOfStreams = onEventLoop();
