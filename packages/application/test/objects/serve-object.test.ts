import { beforeEach, describe, expect, test } from 'bun:test';
import { type LocalCopies, limitWork, nameOfPart, Refusal, type StoredObject } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { fakeClock } from '@postshelf/testing/fakes';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { bodyToServe, FairShares, type Reading, type ServePorts, SharedWork } from '../../src/index.ts';

const SIZES = { uploads: 1, uploadsPerWorkspace: 1, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 1 };
const WORKSPACE = newId();

let reads: number;
let cancelled: number;
let clock: ReturnType<typeof fakeClock>;
let shares: FairShares;

beforeEach(() => {
  [reads, cancelled] = [0, 0];
  clock = fakeClock();
  shares = new FairShares(limitWork(SIZES));
});

/** Returns local copies that are kept in memory. */
function copies(): LocalCopies {
  const made = new Map<string, Blob>();
  return {
    find: (part) => made.get(nameOfPart(part)) ?? null,
    async make(part, body) {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of body()) chunks.push(new Uint8Array(chunk));
      made.set(nameOfPart(part), new Blob(chunks));
      return made.get(nameOfPart(part)) ?? null;
    },
  };
}

/**
 * Returns an object that consists of letters and is stored on another machine.
 *
 * @param next called for each chunk; may wait for ever
 */
const remote = (size = 10, next: () => Promise<unknown> = async () => undefined): StoredObject => ({
  size,
  version: '"1"',
  body(range) {
    reads += 1;
    const { start, end } = range ?? { start: 0, end: size - 1 };
    let at = start;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await next();
          if (at > end) return controller.close();
          controller.enqueue(new TextEncoder().encode(String.fromCharCode(97 + at)));
          at += 1;
        },
        cancel() {
          cancelled += 1;
        },
      },
      { highWaterMark: 0 },
    );
  },
});

const ports = (localCopies: LocalCopies | null): ServePorts => ({
  localCopies,
  clock,
  shares,
  copyWork: new SharedWork(),
});

const reading = (change: Partial<Reading> = {}): Reading => ({
  workspaceId: WORKSPACE,
  key: 'key',
  range: null,
  isBrowser: false,
  signal: new AbortController().signal,
  slowest: { idle: 1000, minimumRate: 100 },
  ...change,
});

const textOf = (body: Blob | ReadableStream<Uint8Array>): Promise<string> => new Response(body).text();

const inUse = () => [shares.figures('reads').inUse, shares.figures('streams').inUse];

describe('a local file', () => {
  test('is sent as it is, without a slot', async () => {
    const file = new Blob(['abc']);
    const object: StoredObject = { size: 3, body: (range) => (range ? file.slice(range.start, range.end + 1) : file) };
    expect(await textOf(await bodyToServe(ports(copies()), object, reading()))).toBe('abc');
    const part = reading({ range: { start: 1, end: 1 } });
    expect(await textOf(await bodyToServe(ports(null), object, part))).toBe('b');
    expect([shares.taken('reads'), shares.taken('streams')]).toEqual([0, 0]);
  });
});

describe('a remote file', () => {
  test('is copied once for concurrent and later readers, and has a length', async () => {
    const own = ports(copies());
    const object = remote();
    const bodies = await Promise.all(Array.from({ length: 5 }, () => bodyToServe(own, object, reading())));
    for (const body of bodies) expect((body as Blob).size).toBe(10);
    expect(await textOf(await bodyToServe(own, object, reading()))).toBe('abcdefghij');
    expect([reads, ...inUse()]).toEqual([1, 0, 0]);
    const part = await bodyToServe(own, object, reading({ range: { start: 2, end: 4 } }));
    expect([await textOf(part), (part as Blob).size, reads]).toEqual(['cde', 3, 2]);
  });

  test('is streamed to a browser unless it is small or there is a copy', async () => {
    const own = ports(copies());
    const large = { ...remote(), size: 5 * 1024 * 1024, body: () => remote(3).body() };
    expect(await bodyToServe(own, large, reading({ isBrowser: true }))).toBeInstanceOf(ReadableStream);
    expect(await bodyToServe(own, remote(), reading({ isBrowser: true }))).toBeInstanceOf(Blob);
    await bodyToServe(own, large, reading({ key: 'other' }));
    expect(await bodyToServe(own, large, reading({ key: 'other', isBrowser: true }))).toBeInstanceOf(Blob);
  });

  test('is streamed if copies are disabled, there is no room for one, or no slot is free', async () => {
    const full: LocalCopies = { find: () => null, make: async () => null };
    for (const [localCopies, hold] of [
      [null, false],
      [full, false],
      [copies(), true],
    ] as const) {
      const own = ports(localCopies);
      const busy = new Refusal({ code: 'busy', message: 'Too many.', retryAfter: 1 });
      const taken: FairShares['take'] = (kind, ...rest) => {
        if (hold && kind === 'reads') throw busy;
        return shares.take(kind, ...rest);
      };
      const body = await bodyToServe(
        { ...own, shares: Object.assign(Object.create(shares), { take: taken }) },
        remote(),
        reading(),
      );
      expect(body).toBeInstanceOf(ReadableStream);
      expect(inUse()).toEqual([0, 1]);
      expect(await textOf(body)).toBe('abcdefghij');
      expect(inUse()).toEqual([0, 0]);
    }
  });

  test('releases its slot when the reader leaves while waiting, before reading or after the first bytes', async () => {
    const gone = new AbortController();
    const waiting = bodyToServe(
      ports(copies()),
      remote(10, () => new Promise(() => undefined)),
      reading({ signal: gone.signal }),
    );
    await Bun.sleep(0);
    expect(inUse()).toEqual([1, 0]);
    gone.abort();
    expect(await outcomeOf(waiting)).toThrow();
    await Bun.sleep(0);
    expect([...inUse(), cancelled]).toEqual([0, 0, 1]);

    const leaving = new AbortController();
    await bodyToServe(ports(null), remote(), reading({ signal: leaving.signal }));
    expect(inUse()).toEqual([0, 1]);
    leaving.abort();
    expect(inUse()).toEqual([0, 0]);

    const body = (await bodyToServe(ports(null), remote(), reading())) as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    await reader.read();
    await reader.cancel();
    expect([...inUse(), cancelled]).toEqual([0, 0, 2]);
  });

  test('is cut off if the reader is slower than the minimum rate', async () => {
    const body = (await bodyToServe(ports(null), remote(), reading())) as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    const read = async () => {
      await reader.read();
      clock.advance(200);
    };
    expect(
      await outcomeOf(
        (async () => {
          for (;;) await read();
        })(),
      ),
    ).toThrow('too slow');
    expect([...inUse(), cancelled]).toEqual([0, 0, 1]);
  });

  test('fails with the error of the storage', async () => {
    const failing = remote(10, () =>
      Promise.reject(new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' })),
    );
    expect(await outcomeOf(bodyToServe(ports(copies()), failing, reading()))).toThrow(Refusal);
    expect(inUse()).toEqual([0, 0]);
  });
});
