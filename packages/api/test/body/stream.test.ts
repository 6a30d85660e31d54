import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readBody } from '../../src/body/stream.ts';
import { malformed, refusalOf } from '../support/refusals.ts';
import { bodyOf, connect, requestOf, sent } from '../support/sources.ts';

const SECOND = 1000;
const TIMEOUTS = { idle: 10 * SECOND, minimumRate: 100 };
const TOO_SLOW = { code: 'too_slow', message: 'The request body arrived too slowly.' } as const;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Runs the code that is waiting only for promises, within this turn of the event loop. */
async function endTurn(): Promise<void> {
  for (let step = 0; step < 50; step += 1) await Promise.resolve();
}

/** Runs the code that is waiting for promises or the next turn, but not code that is waiting for a timer. */
async function settle(): Promise<void> {
  await endTurn();
  await nextTurn();
  await endTurn();
}

/** Advances the clock. */
async function pass(milliseconds: number): Promise<void> {
  await settle();
  jest.advanceTimersByTime(milliseconds);
  await settle();
}

/** Returns an object that shows the current state of a promise. */
function watch<T>(promise: Promise<T>): { readonly state: 'waiting' | 'done' | 'refused' } {
  const watched: { state: 'waiting' | 'done' | 'refused' } = { state: 'waiting' };
  promise.then(
    () => {
      watched.state = 'done';
    },
    () => {
      watched.state = 'refused';
    },
  );
  return watched;
}

describe('a request body', () => {
  test('arrives chunk by chunk, and each chunk is counted', async () => {
    const lengths: number[] = [];
    const body = bodyOf(sent(['one', 'three']), TIMEOUTS, (bytes) => void lengths.push(bytes));
    const chunks: string[] = [];
    for await (const chunk of readBody(body)) chunks.push(new TextDecoder().decode(chunk));
    expect(chunks).toEqual(['one', 'three']);
    expect(lengths).toEqual([3, 5]);
  });

  test("is first read in a later turn of the event loop, so that reading it doesn't delay other requests", async () => {
    const first = watch(readBody(bodyOf(sent(['one']), TIMEOUTS)).next());
    await endTurn();
    expect(first.state).toBe('waiting');
    await settle();
    expect(first.state).toBe('done');
  });

  test('of thousands of one-byte chunks is read in few pieces', async () => {
    jest.useRealTimers();
    let pieces = 0;
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        let bytes = 0;
        for await (const chunk of readBody(bodyOf(request, TIMEOUTS)))
          [pieces, bytes] = [pieces + 1, bytes + chunk.length];
        return new Response(`${bytes}`);
      },
    });
    const client = connectTo(server.port ?? 0, '127.0.0.1');
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    client.write(`${head}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`);
    const [answer] = await once(client, 'data');
    client.destroy();
    expect(`${answer}`).toEndWith('\r\n\r\n10000');
    expect(pieces).toBeLessThan(1000);
  });

  test('may be missing', async () => {
    const { value, done } = await readBody(bodyOf(requestOf(null, {}), TIMEOUTS)).next();
    expect({ value, done }).toEqual({ value: undefined, done: true });
  });

  test('is malformed if the client disconnects', async () => {
    const client = connect();
    const body = readBody(bodyOf(client.request, TIMEOUTS));
    client.send('a');
    await body.next();
    const next = body.next();
    await settle();
    client.hangUp();
    expect(await refusalOf(next)).toEqual(malformed('The request body ended early.'));
  });

  test('is cancelled when its reader stops', async () => {
    const client = connect();
    const body = readBody(bodyOf(client.request, TIMEOUTS));
    client.send('a');
    await body.next();
    await body.return(undefined);
    expect(client.isTurnedAway).toBe(true);
  });

  test('ends at the abort signal, even while the client sends nothing', async () => {
    const client = connect();
    const stop = new AbortController();
    const next = readBody(bodyOf(client.request, TIMEOUTS), { stop: stop.signal }).next();
    await settle();
    stop.abort();
    expect((await next).done).toBe(true);
    expect(client.isTurnedAway).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind', async () => {
    for await (const _ of readBody(bodyOf(sent(['one', 'three']), TIMEOUTS))) expect(jest.getTimerCount()).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a client that sends nothing', () => {
  test.each([
    ['from the beginning', []],
    ['from the last byte', ['a']],
  ])('is refused after the idle time, counted %s', async (_, sentBefore) => {
    const client = connect();
    const body = readBody(bodyOf(client.request, TIMEOUTS));
    for (const bytes of sentBefore) {
      client.send(bytes);
      await body.next();
    }
    const next = body.next();
    const watched = watch(next);
    await pass(TIMEOUTS.idle - 1);
    expect(watched.state).toBe('waiting');
    expect(client.isTurnedAway).toBe(false);
    await pass(1);
    expect(watched.state).toBe('refused');
    expect(await refusalOf(next)).toEqual(TOO_SLOW);
    expect(client.isTurnedAway).toBe(true);
  });

  test('is not penalised for the time between two reads', async () => {
    const client = connect();
    const body = readBody(bodyOf(client.request, { ...TIMEOUTS, minimumRate: 1_000_000 }));
    for (let chunk = 0; chunk < 3; chunk += 1) {
      client.send('a');
      expect((await body.next()).done).toBe(false);
      await pass(10 * TIMEOUTS.idle);
    }
    client.end();
    expect((await body.next()).done).toBe(true);
  });
});

describe('a slow client', () => {
  /**
   * Sends up to `times` chunks of this size at an interval, until reading is refused. Returns the state of the last
   * read.
   */
  async function trickle(bytes: number, every: number, times: number) {
    const client = connect();
    const body = readBody(bodyOf(client.request, TIMEOUTS));
    let last: ReturnType<typeof watch> = { state: 'done' };
    for (let count = 0; count < times && last.state === 'done'; count += 1) {
      const next = body.next();
      last = watch(next);
      await pass(every);
      client.send(new Uint8Array(bytes));
      await settle();
    }
    return last.state;
  }

  test('is refused once it has been too slow for a whole idle period', async () => {
    expect(await trickle(499, 5 * SECOND, 1)).toBe('done');
    expect(await trickle(499, 5 * SECOND, 2)).toBe('refused');
  });

  test('is accepted at exactly the minimum rate', async () => {
    expect(await trickle(500, 5 * SECOND, 20)).toBe('done');
  });

  test('is measured over the last idle period only, so that a fast start does not help', async () => {
    const client = connect();
    const body = readBody(bodyOf(client.request, TIMEOUTS));
    const read = async (bytes: number) => {
      const next = body.next();
      const watched = watch(next);
      await pass(5 * SECOND);
      client.send(new Uint8Array(bytes));
      await settle();
      return watched.state;
    };
    expect(await read(1_000_000)).toBe('done');
    expect(await read(1)).toBe('done');
    expect(await read(1)).toBe('refused');
    expect(client.isTurnedAway).toBe(true);
  });

  test('is accepted if the minimum rate is 0', async () => {
    const client = connect();
    const body = readBody(bodyOf(client.request, { ...TIMEOUTS, minimumRate: 0 }));
    for (let chunk = 0; chunk < 5; chunk += 1) {
      const next = body.next();
      await pass(9 * SECOND);
      client.send('a');
      expect((await next).done).toBe(false);
    }
    await body.return(undefined);
  });
});
