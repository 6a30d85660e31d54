import { type Random, startStopwatch } from '@postshelf/harness';
import { at, textAt } from '../support/json.ts';
import { hold } from '../violation.ts';
import type { Api } from './api.ts';
import type { ReceivedEvent } from './listener.ts';

/**
 * Milliseconds before each repeated attempt of a delivery. There are enough attempts that every event arrives, although
 * the receiver sometimes fails.
 */
export const WEBHOOK_RETRY_DELAYS = [100, 100, 100, 200, 200, 500, 500, 1000, 1000, 1000];

/** The percentage of requests that the receiver answers with an error, and the percentage that it answers late. */
const [FAILED, LATE] = [10, 10];

/** Milliseconds by which late answers are delayed. */
const LATENESS = 300;

/**
 * The receiver of the workspace's webhook. It isn't killed, and must receive every event that the event stream
 * contains.
 */
export class Receiver {
  readonly #got = new Set<string>();
  readonly #server;

  private constructor(random: Random) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        const event: unknown = await request.json();
        if (random.percent(LATE)) await Bun.sleep(LATENESS);
        if (random.percent(FAILED)) return new Response(null, { status: 500 });
        this.#got.add(keyOf(textAt(event, 'type'), textAt(event, 'data', 'id'), textAt(event, 'timestamp')));
        return new Response(null, { status: 204 });
      },
    });
  }

  /**
   * Creates the webhook and its receiver. From then on the receiver must get every event.
   *
   * @throws Violation if the webhook is refused
   */
  static async open(api: Api, random: Random): Promise<Receiver> {
    const receiver = new Receiver(random);
    const url = `http://127.0.0.1:${receiver.#server.port}/`;
    const answer = await api.call('POST', `/workspaces/${api.workspace}/webhooks`, { url });
    hold(answer?.status === 201, 'A webhook is refused.', {
      status: answer?.status,
      message: at(answer?.json, 'message'),
    });
    return receiver;
  }

  /**
   * Waits until the receiver has received all of these events. No process may be killed in the meantime.
   *
   * @throws Violation if an event doesn't arrive within `timeout` milliseconds
   */
  async findAll(events: readonly ReceivedEvent[], timeout: number): Promise<void> {
    const missing = (): readonly ReceivedEvent[] =>
      events.filter(({ type, resource, timestamp }) => !this.#got.has(keyOf(type, resource, timestamp)));
    using stopwatch = startStopwatch();
    for (let left = missing(); left.length > 0; left = missing()) {
      hold(stopwatch.elapsed() < timeout, 'A webhook lacks events of what was acknowledged.', {
        missing: left.slice(0, 5),
      });
      await Bun.sleep(100);
    }
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }
}

const keyOf = (type: string, resource: string, timestamp: string): string => `${type} ${resource} ${timestamp}`;
