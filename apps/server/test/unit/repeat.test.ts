import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import pino from 'pino';
import { repeat, type Task } from '../../src/worker/repeat.ts';

const INTERVAL = 1000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Lets pending promise callbacks run, without letting time pass. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step += 1) await Promise.resolve();
}

async function pass(milliseconds: number): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await settle();
}

const task = (run: Task['run']): Task => ({ name: 'a task', every: INTERVAL, run });

type Run = ReturnType<typeof Promise.withResolvers<void>>;

/** Returns a log that collects its lines, and work that lasts until the test ends it. */
function setUp() {
  const lines: { msg: string; err: { message: string } }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const running: Run[] = [];
  const work = (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    running.push(one);
    return one.promise;
  };
  return { lines, log, running, work };
}

describe('periodic work', () => {
  test('begins immediately, and again an interval after it has ended', async () => {
    const { log, running, work } = setUp();
    repeat(task(work), log);
    expect(running).toHaveLength(1);
    running[0]?.resolve();
    await settle();
    await pass(INTERVAL - 1);
    expect(running).toHaveLength(1);
    await pass(1);
    expect(running).toHaveLength(2);
    running[1]?.resolve();
    await settle();
    await pass(INTERVAL);
    expect(running).toHaveLength(3);
  });

  test('never runs twice concurrently', async () => {
    const { log, running, work } = setUp();
    repeat(task(work), log);
    await pass(100 * INTERVAL);
    expect(running).toHaveLength(1);
    running[0]?.resolve();
    await settle();
    await pass(INTERVAL);
    expect(running).toHaveLength(2);
  });

  test('continues after a failure, which is logged', async () => {
    const { lines, log, running, work } = setUp();
    repeat(task(work), log);
    running[0]?.reject(new Error('The database is locked.'));
    await settle();
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'periodic work failed',
        task: 'a task',
        err: expect.objectContaining({ message: 'The database is locked.' }),
      }),
    ]);
    await pass(INTERVAL);
    expect(running).toHaveLength(2);
  });

  test('logs the same failure every ten minutes, but immediately after a success or a different failure', async () => {
    const { lines, log } = setUp();
    const results = ['locked', 'locked', null, 'locked', 'full'];
    const timer = repeat(
      task(async () => {
        const message = results.length > 1 ? results.shift() : results[0];
        if (message) throw new Error(message);
      }),
      log,
    );
    await settle();
    for (const count of [1, 1, 2, 3, 3]) {
      await pass(INTERVAL);
      expect(lines).toHaveLength(count);
    }
    for (let second = 0; second < 600; second += 1) await pass(INTERVAL);
    expect(lines.map(({ err }) => err.message)).toEqual(['locked', 'locked', 'full', 'full']);
    await timer.stop();
  });

  test('begins after its delay if it has one', async () => {
    const { log, running, work } = setUp();
    repeat({ ...task(work), after: 500 }, log);
    await pass(499);
    expect(running).toHaveLength(0);
    await pass(1);
    expect(running).toHaveLength(1);
  });

  test('does not begin again once it is stopped', async () => {
    const { log, running, work } = setUp();
    const timer = repeat(task(work), log);
    running[0]?.resolve();
    await settle();
    await timer.stop();
    expect(jest.getTimerCount()).toBe(0);
    await pass(10 * INTERVAL);
    expect(running).toHaveLength(1);
  });

  test.each([
    ['ends', (one: Run | undefined) => one?.resolve()],
    ['fails', (one: Run | undefined) => one?.reject(new Error('late'))],
  ])('waits until the current run %s when it is stopped', async (_, end) => {
    const { log, running, work } = setUp();
    let signal: AbortSignal | undefined;
    const timer = repeat(
      task((given) => {
        signal = given;
        return work();
      }),
      log,
    );
    let isStopped = false;
    const stopping = timer.stop().then(() => {
      isStopped = true;
    });
    expect(signal?.aborted).toBe(true);
    await pass(10 * INTERVAL);
    expect(isStopped).toBe(false);
    end(running[0]);
    await stopping;
    expect(jest.getTimerCount()).toBe(0);
    await pass(10 * INTERVAL);
    expect(running).toHaveLength(1);
  });
});
