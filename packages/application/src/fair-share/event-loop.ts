import { Turns } from '@postshelf/domain';

const onEventLoop = (): Turns =>
  new Turns(
    () => performance.now(),
    (callback) => setImmediate(callback),
  );

export const turns = onEventLoop();

/**
 * Turns of event streams, separate from other turns: thousands of streams may wait, and nothing else should wait behind
 * them.
 */
export const turnsOfStreams = onEventLoop();
