import { afterEach, describe, expect, test } from 'bun:test';
import {
  EVENT_TYPES,
  type EventType,
  limitWork,
  MAX_EVENT_STREAMS,
  REMEMBERED_EVENTS,
  Refusal,
  type Uuid,
} from '@postshelf/domain';
import { fakeClock, sequentialIds } from '@postshelf/testing/fakes';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { startStopwatch } from '@postshelf/testing/waiting';
import fc from 'fast-check';
import { EventFeed } from '../../src/events/event-feed.ts';
import type { EventStream } from '../../src/events/event-stream.ts';
import { FairShares } from '../../src/fair-share/fair-shares.ts';
import { until } from '../support/waiting.ts';
import { MemoryEvents } from './memory-events.ts';

const ids = sequentialIds();
const [ours, theirs, token] = [ids.next(), ids.next(), ids.next()];

let feed: EventFeed | undefined;

afterEach(() => feed?.close());

function openFeed(events = new MemoryEvents()) {
  const faults: unknown[] = [];
  const clock = fakeClock(0);
  const shares = new FairShares(
    limitWork({ uploads: 1, uploadsPerWorkspace: 1, imports: 1, importsPerWorkspace: 1, scans: 1, writes: 1 }),
  );
  const opened = new EventFeed({ events, clock, shares }, { interval: 1, onFault: (cause) => void faults.push(cause) });
  feed = opened;
  const open = (workspaceId: Uuid, lastId: string | null = null, types: readonly EventType[] = EVENT_TYPES) =>
    opened.open({ holder: token, workspaceId, types: new Set(types), lastId });
  return { events, clock, faults, feed: opened, open, shares };
}

/**
 * Returns the ids of the events that a stream emits until it is silent for a while. A null follows if the stream ended.
 *
 * @param count the number of events to wait for, however long that takes
 */
async function received(stream: EventStream, count: number): Promise<(Uuid | null)[]> {
  const all: (Uuid | null)[] = [];
  for (;;) {
    const next = await stream.next(all.length < count ? 60_000 : 30);
    if (next === null) return [...all, null];
    if (next.length === 0) return all;
    all.push(...next.map(({ id }) => id));
  }
}

/** Resolves once the feed has read more events than it remembers. */
async function readByFeed(events: MemoryEvents): Promise<void> {
  const before = events.polls;
  await until(() => events.polls > before + 4);
}

describe('a stream', () => {
  test('emits only events of its workspace that are committed after it was opened', async () => {
    const { events, open } = openFeed();
    events.commit(ours);
    const { stream, hasGap } = await open(ours);
    const first = events.commit(ours);
    events.commit(theirs);
    const second = events.commit(ours);
    expect(hasGap).toBe(false);
    expect(await received(stream, 2)).toEqual([first, second]);
    expect(await received(stream, 0)).toEqual([]);
  });

  test('emits only the chosen types', async () => {
    const { events, open } = openFeed();
    const { stream } = await open(ours, null, ['media.active']);
    events.commit(ours, 'post.created');
    const active = events.commit(ours, 'media.active');
    expect(await received(stream, 1)).toEqual([active]);
  });

  test('resumes after the last event that a client has, over many pages', async () => {
    const { events, open } = openFeed();
    const all = Array.from({ length: 450 }, (_, index) => events.commit(index % 3 === 0 ? theirs : ours));
    const own = all.filter((_, index) => index % 3 !== 0);
    const { stream, hasGap } = await open(ours, String(own[9]));
    const later = events.commit(ours);
    expect(hasGap).toBe(false);
    expect(await received(stream, own.length - 9)).toEqual([...own.slice(10), later]);
  });

  test("buffers up to ten events for a client that doesn't read, not counting events of unwanted types", async () => {
    const { events, open } = openFeed();
    const start = events.commit(ours);
    const wanted = Array.from({ length: 300 }, (_, nth) =>
      events.commit(ours, nth < 150 ? 'post.created' : 'media.active'),
    ).slice(150);
    const { stream } = await open(ours, String(start), ['media.active']);
    const first = await stream.next(30);
    expect(first?.map(({ id }) => id)).toEqual(wanted.slice(0, 10));
    expect(await received(stream, 140)).toEqual(wanted.slice(10));
  });

  test('that is behind waits for a slot to read the database, and stops waiting when it is closed', async () => {
    const { events, open, shares } = openFeed();
    const start = events.commit(ours);
    events.commit(ours);
    const [waiting, closed] = [await open(ours, String(start)), await open(ours, String(start))];
    const slots = [shares.tryTake('replays', ours), shares.tryTake('replays', theirs)];
    const [next, last] = [waiting.stream.next(30), closed.stream.next(30)];
    await until(() => shares.figures('replays').waiting === 2);
    closed.stream.close();
    expect(await last).toBeNull();
    expect(shares.figures('replays')).toMatchObject({ waiting: 1 });
    for (const release of slots) release?.();
    expect(await next).toHaveLength(1);
  });

  test.each([
    ['unknown', () => String(ids.next())],
    ['malformed', () => '7\n'],
    ['of another workspace', (events: MemoryEvents) => String(events.commit(theirs))],
  ])('reports a gap and the newest id if the last id is %s', async (_, lastId) => {
    const { events, open } = openFeed();
    events.commit(ours);
    const newest = events.commit(ours);
    const opened = await open(ours, lastId(events));
    const later = events.commit(ours);
    expect(opened).toMatchObject({ hasGap: true, startId: newest });
    expect(await received(opened.stream, 1)).toEqual([later]);
  });

  test('reports a gap for an unknown last id in a workspace without events, and gives a valid start id', async () => {
    const { open, events } = openFeed();
    const opened = await open(ours, String(ids.next()));
    expect(opened).toMatchObject({ hasGap: true });
    const later = events.commit(ours);
    expect(await received((await open(ours, opened.startId)).stream, 1)).toEqual([later]);
  });

  test('ends if it is read too slowly, and resuming after its last event misses nothing', async () => {
    const { events, open } = openFeed();
    const { stream } = await open(ours);
    const first = events.commit(ours);
    expect(await received(stream, 1)).toEqual([first]);
    const rest = Array.from({ length: REMEMBERED_EVENTS + 50 }, () => events.commit(ours));
    await readByFeed(events);
    expect(await stream.next(1000)).toBeNull();
    const again = await open(ours, first);
    expect(await received(again.stream, rest.length)).toEqual(rest);
  });

  test('continues from the database if its client has no id to resume from', async () => {
    const { events, open } = openFeed();
    const { stream } = await open(ours);
    const all = Array.from({ length: REMEMBERED_EVENTS + 50 }, () => events.commit(ours));
    await readByFeed(events);
    expect(await received(stream, all.length)).toEqual(all);
  });

  test("isn't ended by events of another workspace, however many", async () => {
    const { events, open } = openFeed();
    const [{ stream }, others] = await Promise.all([open(ours), open(theirs)]);
    const first = events.commit(ours);
    expect(await received(stream, 1)).toEqual([first]);
    for (let wave = 0; wave < 6; wave += 1) {
      const flood = Array.from({ length: REMEMBERED_EVENTS / 2 }, () => events.commit(theirs));
      expect(await received(others.stream, flood.length)).toEqual(flood);
    }
    const last = events.commit(ours);
    expect(await received(stream, 1)).toEqual([last]);
  });

  test('ends its pending read when it is closed, and the feed stops polling', async () => {
    const { events, open } = openFeed();
    const { stream } = await open(ours);
    const waiting = stream.next(60_000);
    stream.close();
    stream.close();
    expect(await waiting).toBeNull();
    await Bun.sleep(20);
    const before = events.polls;
    await Bun.sleep(50);
    expect(events.polls).toBe(before);
  });
});

describe('the feed', () => {
  test('ends all streams immediately when it is closed, and opens no more', async () => {
    const { feed, open } = openFeed();
    const streams = await Promise.all([open(ours), open(theirs)]);
    const waiting = streams.map(({ stream }) => stream.next(60_000));
    feed.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await refusalOf(open(ours))).toMatchObject({ code: 'busy' });
  });

  test('reports once that events can’t be read, and loses none', async () => {
    const { events, faults, open } = openFeed();
    const { stream } = await open(ours);
    events.failure = new Error('The database is gone.');
    const first = events.commit(ours);
    await until(() => faults.length > 0);
    expect(await received(stream, 0)).toEqual([]);
    events.failure = null;
    expect(await received(stream, 1)).toEqual([first]);
    expect(faults).toHaveLength(1);
  });

  test('opens no stream while events can’t be read, but opens one afterwards', async () => {
    const { events, open } = openFeed();
    events.failure = new Error('The database is gone.');
    expect(await outcomeOf(open(ours))).toThrow('gone');
    await Bun.sleep(1);
    events.failure = null;
    const { stream } = await open(ours);
    const first = events.commit(ours);
    expect(await received(stream, 1)).toEqual([first]);
  });

  test('has one reader for all streams', async () => {
    const { events, open } = openFeed();
    await Promise.all(Array.from({ length: 50 }, () => open(ours)));
    const before = events.polls;
    await Bun.sleep(50);
    expect(events.polls - before).toBeLessThan(60);
  });

  test('limits the streams per token and in total, without counting ended ones', async () => {
    const { feed, open } = openFeed();
    const one = await open(ours);
    await Promise.all(Array.from({ length: MAX_EVENT_STREAMS.token - 1 }, () => open(ours)));
    expect(await refusalOf(open(ours))).toMatchObject({ code: 'busy', retryAfter: 5 });
    one.stream.close();
    one.stream.close();
    await open(ours);
    const openAs = (holder: Uuid) => feed.open({ holder, workspaceId: ours, types: new Set(), lastId: null });
    for (let others = 0; others < 3; others += 1) {
      const other = ids.next();
      await Promise.all(Array.from({ length: MAX_EVENT_STREAMS.token }, () => openAs(other)));
    }
    expect(await refusalOf(openAs(ids.next()))).toMatchObject({ code: 'busy' });
  });
});

/**
 * A client that reads a workspace's events. Whenever its stream ends, it resumes after the last event that it received.
 */
interface Client {
  readonly workspaceId: Uuid;
  readonly received: Uuid[];
  /** Number of events that the client may miss, because they were committed before its stream was opened. */
  readonly missed: number;
  stream: EventStream;
}

const someSteps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ what: fc.constant('commit' as const), which: fc.nat(), count: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('commit' as const), which: fc.nat(), count: fc.nat(1500) }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('open' as const), which: fc.nat(), count: fc.nat() }) },
    { weight: 6, arbitrary: fc.record({ what: fc.constant('read' as const), which: fc.nat(), count: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('lose' as const), which: fc.nat(), count: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('pass' as const), which: fc.nat(), count: fc.nat(6) }) },
  ),
  { maxLength: 40, size: 'max' },
);

test('a client gets each event of its workspace once and in order, whenever it loses its stream', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, fc.infiniteStream(fc.nat(2)), async (steps, pauses) => {
      const { events, open, feed } = openFeed();
      events.pause = () => Bun.sleep(pauses.next().value ?? 0);
      const committed = new Map<Uuid, Uuid[]>([
        [ours, []],
        [theirs, []],
      ]);
      const workspaces = [ours, theirs] as const;
      const clients: Client[] = [];
      const opening: Promise<void>[] = [];
      const read = async (client: Client): Promise<boolean> => {
        const next = await client.stream.next(0);
        if (next !== null) {
          client.received.push(...next.map(({ id }) => id));
          return next.length > 0;
        }
        client.stream.close();
        const last = client.received.at(-1) ?? null;
        // A stream that was opened without an event id ends only when the feed is closed, so this client has received
        // events.
        expect(last).not.toBeNull();
        client.stream = (await open(client.workspaceId, last)).stream;
        return true;
      };
      for (const { what, which, count } of steps) {
        const workspaceId = workspaces[which % 2] ?? ours;
        const client = clients[which % Math.max(clients.length, 1)];
        if (what === 'commit') {
          for (let nth = 0; nth < count; nth += 1) committed.get(workspaceId)?.push(events.commit(workspaceId));
        } else if (what === 'open') {
          // Other requests commit events in the meantime.
          opening.push(
            open(workspaceId).then(({ stream }) => {
              clients.push({ workspaceId, received: [], missed: committed.get(workspaceId)?.length ?? 0, stream });
            }),
          );
        } else if (what === 'pass') await Bun.sleep(count);
        else if (client && what === 'read') for (let nth = 0; nth < count; nth += 1) await read(client);
        else if (client && client.received.length > 0) client.stream.close();
      }
      await Promise.all(opening);
      for (const client of clients) {
        const all = committed.get(client.workspaceId) ?? [];
        using stopwatch = startStopwatch();
        // `missed` is counted after the stream was opened, so the stream may also contain events that `missed` counts.
        // Once a client has received an event, it must receive all later ones.
        const isBehind = () =>
          client.received.at(-1) !== all.at(-1) && (all.length > client.missed || client.received.length > 0);
        while (isBehind() && stopwatch.elapsed() < 5000) {
          if (!(await read(client))) await Bun.sleep(1);
        }
        expect(client.received.length).toBeGreaterThanOrEqual(all.length - client.missed);
        expect(client.received).toEqual(all.slice(all.length - client.received.length));
        client.stream.close();
      }
      feed.close();
    }),
    { numRuns: 60 },
  );
});

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  return error instanceof Refusal ? error.problem : error;
}
