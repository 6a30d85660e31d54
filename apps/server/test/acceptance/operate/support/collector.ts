import { arrayAt, at, stringAt } from '../../support/reply.ts';
import { freePort } from '../../support/server.ts';

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The OTLP number of the span kind: 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The OTLP status code; 2 is an error. */
  readonly status: unknown;
}

/** A receiver of OTLP over HTTP in JSON. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  /** The bodies of the requests. */
  readonly bodies: string[] = [];
  readonly headers: Headers[] = [];
  readonly paths: string[] = [];
  resource: Readonly<Record<string, unknown>> = {};

  private constructor(
    readonly url: string,
    private readonly server: Bun.Server<undefined>,
  ) {}

  static async open(): Promise<Collector> {
    const port = await freePort();
    const server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        collector.#take(request, await request.text());
        return Response.json({});
      },
    });
    const collector = new Collector(`http://127.0.0.1:${port}`, server);
    return collector;
  }

  close(): Promise<void> {
    return this.server.stop(true);
  }

  #take(request: Request, body: string): void {
    this.bodies.push(body);
    this.headers.push(request.headers);
    this.paths.push(new URL(request.url).pathname);
    for (const group of arrayAt(JSON.parse(body), 'resourceSpans')) {
      this.resource = readAttributes(at(group, 'resource'));
      for (const scope of arrayAt(group, 'scopeSpans')) this.spans.push(...arrayAt(scope, 'spans').map(readSpan));
    }
  }
}

function readSpan(span: unknown): ReceivedSpan {
  const parent = at(span, 'parentSpanId');
  return {
    name: stringAt(span, 'name'),
    traceId: stringAt(span, 'traceId'),
    spanId: stringAt(span, 'spanId'),
    parentSpanId: typeof parent === 'string' && parent !== '' ? parent : undefined,
    kind: Number(at(span, 'kind')),
    attributes: readAttributes(span),
    status: at(span, 'status', 'code'),
  };
}

function readAttributes(owner: unknown): Readonly<Record<string, unknown>> {
  const pairs = arrayAt(owner, 'attributes').map((pair) => {
    const value = at(pair, 'value');
    return [stringAt(pair, 'key'), at(value, 'stringValue') ?? at(value, 'intValue')] as const;
  });
  return Object.fromEntries(pairs);
}
