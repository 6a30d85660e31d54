import { Turns } from '@postshelf/domain';

const onEventLoop = (): Turns =>
  new Turns(
    () => performance.now(),
    (callback) => setImmediate(callback),
  );

export const turns = onEventLoop();

/** Turns of event streams: thousands may wait concurrently, and nothing else should wait behind them. */
export const turnsOfStreams = onEventLoop();
