import { stringAt } from '../../support/reply.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** One event of a stream in the form in which it arrived. */
export interface ReceivedEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: unknown;
}

interface Wanted {
  readonly token?: string | null;
  /** The query for `/workspaces/{workspace}/events`. If `path` is given, that is requested instead. */
  readonly query?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** A client of a stream of events, by the rules of the HTML standard (section 9.2.6). */
export class Stream {
  readonly received: ReceivedEvent[] = [];
  /** The number of keep-alives: comments, and blocks without data. */
  signsOfLife = 0;
  /** The id from which the stream can be resumed. It is null until the stream has an id. */
  lastId: string | null = null;
  hasEnded = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  /** Resolves when the headers have arrived. @throws Error unless the response is a stream */
  static async open(world: World, wanted: Wanted = {}): Promise<Stream> {
    const { token = 'all', query = '', path, headers = {}, url = world.server.url } = wanted;
    const abort = new AbortController();
    const target = world.fill(path ?? `/v1/workspaces/{workspace}/events${query}`);
    const authorization = token === null ? {} : { Authorization: `Bearer ${world.tokens[token] ?? token}` };
    const response = await fetch(`${url}${target}`, {
      headers: { ...authorization, ...headers },
      signal: abort.signal,
      keepalive: false,
    });
    if (response.headers.get('content-type') !== 'text/event-stream')
      throw new Error(`${response.status} ${await response.text()}`);
    const stream = new Stream(response, abort);
    void stream.#read().catch(() => undefined);
    return stream;
  }

  get types(): string[] {
    return this.received.map(({ type }) => type);
  }

  get ids(): (string | null)[] {
    return this.received.map(({ id }) => id);
  }

  /** Waits until that many events have been received. */
  async untilReceived(count: number, deadline = 5000): Promise<readonly ReceivedEvent[]> {
    await until(`${count} events have arrived`, () => this.received.length >= count, deadline);
    return this.received;
  }

  /** Waits for an event of a type about a resource. */
  async find(type: string, id: string, deadline = 5000): Promise<ReceivedEvent> {
    const isIt = (event: ReceivedEvent): boolean => event.type === type && stringAt(event.data, 'data', 'id') === id;
    await until(`${type} of ${id} has arrived`, () => this.received.some(isIt), deadline);
    const found = this.received.find(isIt);
    if (!found) throw new Error('It was there.');
    return found;
  }

  close(): void {
    this.abort.abort();
  }

  async #read(): Promise<void> {
    let rest = '';
    try {
      for await (const text of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } finally {
      this.hasEnded = true;
    }
  }

  #take(block: string): void {
    let [type, data] = ['message', ''];
    for (const line of block.split('\n')) {
      if (line === '') continue;
      const colon = line.indexOf(':');
      const [field, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      if (field === 'id') this.lastId = value;
      else if (field === 'event') type = value;
      else if (field === 'data') data = value;
    }
    if (data === '') this.signsOfLife += 1;
    else this.received.push({ id: this.lastId, type, data: JSON.parse(data) });
  }
}
