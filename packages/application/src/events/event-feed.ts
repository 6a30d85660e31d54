import {
  EVENT_LIFE,
  type EventPosition,
  type EventType,
  LISTENED,
  MAX_EVENT_STREAMS,
  type PlacedEvent,
  parseUuid,
  REMEMBERED_EVENTS,
  Refusal,
  type Uuid,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { EventStream, type StreamSource } from './event-stream.ts';

/** Milliseconds between polls for new events. */
const INTERVAL = 100;

/** Maximum back-off while the database can't be read, in milliseconds. */
const MAX_PAUSE = 5_000;

/**
 * Milliseconds between polls while a backlog remains. The time is short, so that streams read these events before newer
 * ones replace them.
 */
const SHORT_INTERVAL = INTERVAL / 10;

/**
 * Number of events per poll. It is smaller than the number of remembered events, because streams are woken only after
 * all events of a poll are remembered.
 */
const PAGE = REMEMBERED_EVENTS / 2;

const RETRY_AFTER = 5;

interface FeedOptions {
  /** Called when events can't be read, but only for the first of several failures in a row. */
  readonly onFault: (cause: unknown) => void;
  /** Milliseconds between polls. Default: {@link INTERVAL}. */
  readonly interval?: number;
}

interface StreamRequest {
  /** The holder whose limit the stream counts towards. */
  readonly holder: Uuid;
  readonly workspaceId: Uuid;
  readonly types: ReadonlySet<EventType>;
  /** The id of the last event that the client has, as it was sent; null if it has none. */
  readonly lastId: string | null;
}

/** An open stream, and what has to be sent first. */
export interface OpenedStream {
  readonly stream: EventStream;
  /** Whether events that the client missed can't be sent any more. */
  readonly hasGap: boolean;
  /** Resume point for a client that hasn't received an event yet. */
  readonly startId: Uuid;
}

/** A workspace with open streams. */
interface Audience {
  streams: number;
  /** All events of the workspace after this position are remembered. */
  since: EventPosition;
  readonly waiting: Set<() => void>;
}

/**
 * The only reader of new events in a process, however many streams it feeds. While there are streams, it polls for new
 * events and keeps the latest events of the streams' workspaces.
 */
export class EventFeed {
  readonly #audiences = new Map<Uuid, Audience>();
  readonly #ofHolders = new Map<Uuid, number>();
  #streams = 0;
  #remembered: PlacedEvent[] = [];
  /** The position up to which events have been read. */
  #upTo: EventPosition = 0;
  #start: Promise<void> | null = null;
  readonly #closing = new AbortController();

  constructor(
    private readonly ports: Pick<Ports, 'events' | 'clock'> & Pick<Shared, 'shares'>,
    private readonly options: FeedOptions,
  ) {}

  /**
   * Opens a stream of the events that are committed from now on, or after the last one that the client has. The caller
   * closes it.
   *
   * @throws Refusal `busy` at the limits of open streams, and once the feed is closed
   */
  async open({ holder, workspaceId, types, lastId }: StreamRequest): Promise<OpenedStream> {
    const release = this.#reserve(holder);
    try {
      return await this.#inTurn(workspaceId, this.#closing.signal, async () => {
        this.#start ??= this.#startReading();
        await this.#start;
        const { events, clock } = this.ports;
        const now = clock.now();
        await events.listen([workspaceId], now + LISTENED.for);
        const found = lastId === null ? null : await this.#find(workspaceId, lastId, now - EVENT_LIFE);
        // The id is determined before the position, so that a client that resumes after the id misses no event that is
        // committed in between.
        const startId = found?.id ?? (await events.mark(workspaceId, now - EVENT_LIFE / 2, now));
        const position = found?.position ?? (await events.newest());
        const start = { position, types, isResumed: lastId !== null };
        const stream = new EventStream(this.#join(workspaceId), start, release);
        return { stream, hasGap: lastId !== null && found === null, startId };
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends all streams immediately, and opens no more. */
  close(): void {
    this.#closing.abort();
    for (const { waiting } of this.#audiences.values()) wakeAll(waiting);
  }

  /** Runs a read in a slot, so that even thousands of streams read the database no faster than a few would. */
  async #inTurn<T>(workspaceId: Uuid, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const releaseSlot = await this.ports.shares.take('replays', workspaceId, signal);
    try {
      return await read();
    } finally {
      releaseSlot();
    }
  }

  #reserve(holder: Uuid): () => void {
    const ofHolder = this.#ofHolders.get(holder) ?? 0;
    if (this.#closing.signal.aborted) throw busy('The service is stopping.');
    if (ofHolder >= MAX_EVENT_STREAMS.token) throw busy('Too many event streams are open for this token.');
    if (this.#streams >= MAX_EVENT_STREAMS.all) throw busy('Too many event streams are open.');
    this.#streams += 1;
    this.#ofHolders.set(holder, ofHolder + 1);
    return () => {
      this.#streams -= 1;
      const left = (this.#ofHolders.get(holder) ?? 1) - 1;
      if (left > 0) this.#ofHolders.set(holder, left);
      else this.#ofHolders.delete(holder);
    };
  }

  /** Finds the event with an id. A malformed id is treated as an event that no longer exists. */
  async #find(workspaceId: Uuid, given: string, since: number) {
    const id = parseUuid(given);
    const position = id && (await this.ports.events.find(workspaceId, id, since));
    return position === null ? null : { id, position };
  }

  #join(workspaceId: Uuid): StreamSource {
    const audience = this.#audiences.get(workspaceId) ?? { streams: 0, since: this.#upTo, waiting: new Set() };
    this.#audiences.set(workspaceId, audience);
    audience.streams += 1;
    return {
      isClosed: () => this.#closing.signal.aborted,
      since: () => audience.since,
      remembered: (after, limit) => this.#listRemembered(workspaceId, after, limit),
      stored: (after, limit, signal) =>
        this.#inTurn(workspaceId, signal, async () => {
          const upTo = this.#upTo;
          return { page: await this.ports.events.listOf(workspaceId, after, upTo, limit), upTo };
        }),
      waiting: audience.waiting,
      leave: () => {
        audience.streams -= 1;
        if (audience.streams === 0) this.#audiences.delete(workspaceId);
      },
    };
  }

  #listRemembered(workspaceId: Uuid, after: EventPosition, limit: number): readonly PlacedEvent[] {
    const found: PlacedEvent[] = [];
    for (let at = this.#indexBehind(after); at < this.#remembered.length && found.length < limit; at += 1) {
      const placed = this.#remembered[at];
      if (placed?.event.workspaceId === workspaceId) found.push(placed);
    }
    return found;
  }

  #indexBehind(after: EventPosition): number {
    let [low, high] = [0, this.#remembered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#remembered[middle]?.position ?? 0) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  async #startReading(): Promise<void> {
    try {
      this.#upTo = await this.ports.events.newest();
    } catch (error) {
      this.#start = null;
      throw error;
    }
    void this.#read();
  }

  /** Reads new events until no stream is left. */
  async #read(): Promise<void> {
    const { interval = INTERVAL, onFault } = this.options;
    const { events, clock } = this.ports;
    const { signal } = this.#closing;
    let pause = interval;
    let isFaulty = false;
    let listenedAt = clock.now();
    while (this.#streams > 0 && !signal.aborted) {
      try {
        const page = await events.listAfter(this.#upTo, PAGE);
        this.#take(page);
        pause = page.length < PAGE ? interval : Math.min(interval, SHORT_INTERVAL);
        const now = clock.now();
        if (now - listenedAt >= LISTENED.granularity) {
          await events.listen([...this.#audiences.keys()], now + LISTENED.for);
          listenedAt = now;
        }
        isFaulty = false;
      } catch (cause) {
        if (!isFaulty) onFault(cause);
        isFaulty = true;
        pause = Math.min(Math.max(pause, interval) * 2, MAX_PAUSE);
      }
      await delay(pause, signal);
    }
    this.#remembered = [];
    this.#start = null;
  }

  #take(page: readonly PlacedEvent[]): void {
    const addressed = new Set<Audience>();
    for (const placed of page) {
      this.#upTo = placed.position;
      const audience = this.#audiences.get(placed.event.workspaceId);
      if (!audience) continue;
      this.#remembered.push(placed);
      addressed.add(audience);
    }
    this.#forget(this.#remembered.length - REMEMBERED_EVENTS);
    for (const { waiting } of addressed) wakeAll(waiting);
  }

  /** @param count number of the oldest events to forget; none if it is negative */
  #forget(count: number): void {
    if (count <= 0) return;
    for (const { position, event } of this.#remembered.splice(0, count)) {
      const audience = this.#audiences.get(event.workspaceId);
      if (audience) audience.since = Math.max(audience.since, position);
    }
  }
}

function wakeAll(waiting: Set<() => void>): void {
  const all = [...waiting];
  waiting.clear();
  for (const wake of all) wake();
}

const delay = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });

const busy = (message: string): Refusal => new Refusal({ code: 'busy', message, retryAfter: RETRY_AFTER });
