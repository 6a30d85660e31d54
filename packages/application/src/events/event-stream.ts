import type { EventPosition, EventType, LibraryEvent, PlacedEvent } from '@postshelf/domain';

/** Events that a stream takes at a time. */
const PAGE = 100;

/** What a stream gets of its feed: the events of its workspace. */
export interface StreamSource {
  readonly isClosed: () => boolean;
  /** All events behind this place are remembered. */
  readonly since: () => EventPosition;
  readonly remembered: (after: EventPosition, limit: number) => readonly PlacedEvent[];
  /** From the database, up to a place that the feed has read. */
  readonly stored: (
    after: EventPosition,
    limit: number,
  ) => Promise<{ readonly page: readonly PlacedEvent[]; readonly upTo: EventPosition }>;
  /** Called once, and removed, when there are new ones or the feed is closed. */
  readonly waiting: Set<() => void>;
  readonly leave: () => void;
}

interface StreamStart {
  readonly position: EventPosition;
  readonly types: ReadonlySet<EventType>;
  /** Whether the client has an id already, by which it could go on. */
  readonly isResumed: boolean;
}

/** Told to one client. Holds only its place, so that a slow reader costs no memory. */
export class EventStream {
  #position: EventPosition;
  readonly #types: ReadonlySet<EventType>;
  /** Whether it has reached what is remembered; before, it reads the database. */
  #isLive = false;
  #canResume: boolean;
  #isClosed = false;
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
   * The next events, in order; one call at a time.
   *
   * @param patience milliseconds after which it resolves with none
   * @returns null if the stream has ended: it was closed, or read so slowly that what comes next is forgotten; a client
   *   that opens another behind its last event misses nothing
   */
  async next(patience: number): Promise<readonly LibraryEvent[] | null> {
    const end = performance.now() + patience;
    while (!this.#hasEnded()) {
      const page = await this.#read();
      if (this.#hasEnded()) return null;
      const told = page.map(({ event }) => event).filter(({ type }) => this.#types.has(type));
      if (told.length > 0) {
        this.#canResume = true;
        return told;
      }
      const left = end - performance.now();
      if (left <= 0) return [];
      if (this.#isLive && page.length === 0) await this.#wait(left);
    }
    return null;
  }

  /** Ends it, and a call of {@link next} that waits. Calling it again does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.source.leave();
    this.release();
    this.#wake();
  }

  #hasEnded(): boolean {
    const isTooSlow = this.#isLive && this.#canResume && this.#position < this.source.since();
    return this.#isClosed || this.source.isClosed() || isTooSlow;
  }

  async #read(): Promise<readonly PlacedEvent[]> {
    this.#isLive = this.#position >= this.source.since();
    if (this.#isLive) {
      const page = this.source.remembered(this.#position, PAGE);
      this.#position = page.at(-1)?.position ?? this.#position;
      return page;
    }
    const { page, upTo } = await this.source.stored(this.#position, PAGE);
    this.#position = page.length === PAGE ? (page.at(-1)?.position ?? upTo) : upTo;
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
