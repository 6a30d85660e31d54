import type { EventPosition, EventType, LibraryEvent, PlacedEvent } from '@postshelf/domain';
import { turnsOfStreams } from '../fair-share/event-loop.ts';

/**
 * Number of events that a stream sends together. For each client that doesn't read, as many events may stay in memory,
 * and there may be thousands of such clients.
 */
const PAGE = 10;

/** Number of events that a stream reads together if the previous page contained none for its client. */
const SPARSE_PAGE = 100;

/** What a stream needs from the feed: access to the events of the stream's workspace. */
export interface StreamSource {
  readonly isClosed: () => boolean;
  /** All events after this position are remembered. */
  readonly since: () => EventPosition;
  readonly remembered: (after: EventPosition, limit: number) => readonly PlacedEvent[];
  /**
   * Reads events from the database, up to a position that the feed has read. Aborting the signal ends the wait for a
   * slot.
   */
  readonly stored: (
    after: EventPosition,
    limit: number,
    signal: AbortSignal,
  ) => Promise<{ readonly page: readonly PlacedEvent[]; readonly upTo: EventPosition }>;
  /** Functions that are called once, when there are new events or the feed is closed, and are then removed. */
  readonly waiting: Set<() => void>;
  readonly leave: () => void;
}

interface StreamStart {
  readonly position: EventPosition;
  readonly types: ReadonlySet<EventType>;
  /** Whether the client already has an id from which it could resume. */
  readonly isResumed: boolean;
}

/** A stream to one client. It holds only its position, so that a slow reader costs no memory. */
export class EventStream {
  #position: EventPosition;
  readonly #types: ReadonlySet<EventType>;
  /** Whether the stream has reached the remembered events; before that, it reads the database. */
  #isLive = false;
  #canResume: boolean;
  readonly #closing = new AbortController();
  #wake: () => void = () => undefined;

  constructor(
    private readonly source: StreamSource,
    { position, types, isResumed }: StreamStart,
    private readonly release: () => void,
  ) {
    this.#position = position;
    this.#types = types;
    this.#canResume = isResumed;
  }

  /**
   * Returns the next events, in order; one call at a time.
   *
   * @param patience milliseconds after which the promise resolves without events
   * @returns null if the stream has ended: it was closed, or its client read so slowly that the next events are no
   *   longer remembered. In a new stream, the client can resume after its last event and misses nothing
   */
  async next(patience: number): Promise<readonly LibraryEvent[] | null> {
    const end = performance.now() + patience;
    for (let limit = PAGE; ; limit = SPARSE_PAGE) {
      // Thousands of streams may be woken at the same time, so each one waits for its turn.
      await turnsOfStreams.next();
      if (this.#hasEnded()) return null;
      const page = await this.#read(limit);
      if (this.#hasEnded()) return null;
      const wanted = page.filter(({ event }) => this.#types.has(event.type)).slice(0, PAGE);
      if (wanted.length > 0) {
        this.#canResume = true;
        if (wanted.length === PAGE) this.#position = wanted.at(-1)?.position ?? this.#position;
        return wanted.map(({ event }) => event);
      }
      const left = end - performance.now();
      if (left <= 0) return [];
      // More events may have arrived since the last read.
      if (this.#isLive && this.source.remembered(this.#position, 1).length === 0) await this.#wait(left);
    }
  }

  /** Ends the stream and any waiting call of {@link next}. Calling it again does nothing. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.source.leave();
    this.release();
    this.#wake();
  }

  #hasEnded(): boolean {
    const isTooSlow = this.#isLive && this.#canResume && this.#position < this.source.since();
    return this.#closing.signal.aborted || this.source.isClosed() || isTooSlow;
  }

  async #read(limit: number): Promise<readonly PlacedEvent[]> {
    this.#isLive = this.#position >= this.source.since();
    if (this.#isLive) {
      const page = this.source.remembered(this.#position, limit);
      this.#position = page.at(-1)?.position ?? this.#position;
      return page;
    }
    const { signal } = this.#closing;
    const none = { page: [], upTo: this.#position };
    const { page, upTo } = await this.source.stored(this.#position, limit, signal).catch((cause: unknown) => {
      if (signal.aborted) return none;
      throw cause;
    });
    this.#position = page.length === limit ? (page.at(-1)?.position ?? upTo) : upTo;
    return page;
  }

  async #wait(milliseconds: number): Promise<void> {
    const { waiting } = this.source;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(this.#wake);
    });
    waiting.delete(this.#wake);
  }
}
