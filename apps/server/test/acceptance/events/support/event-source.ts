/** Milliseconds until the client reconnects. */
const PAUSE = 200;

interface Options {
  readonly headers: Readonly<Record<string, string>>;
}

/** The part of an `EventSource` (HTML standard, section 9.2) that tRPC's link uses, with request headers. */
export class EventSourceByFetch extends EventTarget {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSED = 2;
  readyState: number = this.CONNECTING;
  readonly #abort = new AbortController();
  #lastId = '';

  constructor(
    readonly url: string,
    private readonly options?: Options,
  ) {
    super();
    void this.#run();
  }

  close(): void {
    this.readyState = this.CLOSED;
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    while (this.readyState !== this.CLOSED) {
      await this.#connect().catch(() => undefined);
      if (this.readyState === this.CLOSED) return;
      this.readyState = this.CONNECTING;
      this.dispatchEvent(new Event('error'));
      await Bun.sleep(PAUSE);
    }
  }

  async #connect(): Promise<void> {
    const headers = { ...this.options?.headers, ...(this.#lastId !== '' && { 'Last-Event-ID': this.#lastId }) };
    const response = await fetch(this.url, { headers, signal: this.#abort.signal, keepalive: false });
    if (!response.ok) {
      this.readyState = this.CLOSED;
      this.dispatchEvent(new Event('error'));
      return;
    }
    this.readyState = this.OPEN;
    this.dispatchEvent(new Event('open'));
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    let [type, data] = ['message', null as string | null];
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === 'id') this.#lastId = value;
      else if (field === 'event') type = value;
      else if (field === 'data') data = value;
    }
    if (data !== null) this.dispatchEvent(new MessageEvent(type, { data, lastEventId: this.#lastId }));
  }
}
