import { startStopwatch } from '@postshelf/harness';
import { at, textAt } from '../support/json.ts';
import { hold, Violation } from '../violation.ts';
import type { Api } from './api.ts';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  /** The id of the resource that the event is about. */
  readonly resource: string;
  readonly timestamp: string;
}

/** Milliseconds between the end of a stream and the start of the next one. */
const PAUSE = 50;

/**
 * A client that listens to the workspace's events and reconnects after each kill. Each new stream resumes after the
 * last event received.
 */
export class Listener {
  readonly received: ReceivedEvent[] = [];
  /** A violation that the listener found. */
  failure: unknown = null;
  #lastId: string | null = null;
  #isOver = false;
  readonly #running: Promise<void>;

  private constructor(private readonly api: Api) {
    this.#running = this.#listen();
  }

  /** Opens a listener. Resolves when its stream is open, so that it receives every event from then on. */
  static async open(api: Api): Promise<Listener> {
    const listener = new Listener(api);
    while (listener.#lastId === null) await Bun.sleep(PAUSE);
    return listener;
  }

  /**
   * Waits until an event about a resource arrives.
   *
   * @param timeout milliseconds of a stopwatch that slows down on a busy machine
   * @throws Violation if no such event arrives in time
   */
  async find(type: string, resource: string, timeout = 10_000): Promise<void> {
    const isThere = (): boolean => this.received.some((each) => each.type === type && each.resource === resource);
    using stopwatch = startStopwatch();
    for (; !isThere(); await Bun.sleep(PAUSE)) {
      if (this.failure !== null) throw this.failure;
      hold(stopwatch.elapsed() < timeout, 'A stream lacks an event of what was acknowledged.', { type, resource });
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #listen(): Promise<void> {
    while (!this.#isOver && this.failure === null) {
      const response = await this.api.stream('/events', this.#lastId);
      let rest = '';
      try {
        for await (const text of response?.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          const blocks = (rest + text).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) this.#take(block);
          if (this.#isOver) break;
        }
      } catch (error) {
        // Any other error comes from the connection, because the process was killed, as intended.
        if (error instanceof Violation) this.failure = error;
      }
      await Bun.sleep(PAUSE);
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 2)]));
    const [id, type, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
    this.#lastId = id ?? this.#lastId;
    if (data === undefined) return;
    hold(type !== 'reset', 'A client that received every event so far gets a reset.', { lastId: this.#lastId });
    const event: unknown = JSON.parse(data);
    const resource = textAt(event, 'data', 'id');
    this.received.push({ id: id ?? '', type: type ?? '', resource, timestamp: String(at(event, 'timestamp')) });
  }
}
