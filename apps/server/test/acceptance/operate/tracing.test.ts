import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { serve } from '../imports/support/answers.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { issue, send } from '../presign/support/uploads.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { freePort } from '../support/server.ts';
import { World } from '../support/world.ts';
import { Collector, type ReceivedSpan } from './support/collector.ts';
import { lineWith } from './support/log.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('with a trace receiver', () => {
  let collector: Collector;
  let origin: Origin;
  let world: World;
  let spans: readonly ReceivedSpan[];
  let secrets: readonly string[];

  beforeAll(async () => {
    collector = await Collector.open();
    origin = await Origin.open();
    world = await World.openAlone({
      ...loopback,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_SERVICE_NAME: 'shelf-under-test',
    });
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    await world.call('GET /media_contents/{unknown}?access_token=q1w2e3r4', { headers });
    await world.call('GET /v1/no/such/route', { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    await world.storeOne(file('private-name.jpg', jpeg()));
    const page = origin.page('secret-page.mp4', serve(mp4()));
    const item = await settled(world, accepted(await importUrl(world, `${page.url}?sig=z9y8x7w6`)));
    expect(item.status).toBe('active');
    const issued = await issue(world, jpeg());
    await send(issued, jpeg());
    secrets = [
      world.tokens.all ?? '',
      'q1w2e3r4',
      'z9y8x7w6',
      'private-name',
      'secret-page',
      world.ids.workspace ?? '',
      ...[...new URL(issued.url).searchParams.values()].filter((value) => value.length > 20),
    ];
    // Spans are sent periodically, and a stop sends the remaining ones.
    expect(await world.server.end()).toBe(0);
    ({ spans } = collector);
  });

  afterAll(async () => {
    origin.close();
    await world.close();
    await collector.close();
  });

  const only = (name: string): ReceivedSpan => {
    const [found, ...more] = spans.filter((span) => span.name === name);
    if (!found || more.length > 0) throw new Error(`Not one ${name} in ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };
  const below = (parent: ReceivedSpan): string[] =>
    spans.filter((span) => span.parentSpanId === parent.spanId).map((span) => span.name);

  test("all spans are sent before the exit, with the service's name", () => {
    expect(new Set(collector.paths)).toEqual(new Set(['/base/v1/traces']));
    for (const headers of collector.headers) {
      expect(headers.get('x-tenant')).toBe('a b');
      expect(headers.get('content-type')).toBe('application/json');
    }
    expect(collector.resource).toEqual({ 'service.name': 'shelf-under-test', 'service.version': expect.any(String) });
  });

  test("a request is a span named after its route, in its caller's trace", () => {
    const [span = only('none')] = spans.filter(({ parentSpanId }) => parentSpanId === PARENT);
    expect(span).toMatchObject({ name: 'GET /v1/media_contents/{id}', traceId: TRACE, kind: 2 });
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/media_contents/{id}',
      'http.response.status_code': 404,
    });
    // `tokens.touch` stores when the token was used last.
    expect(below(span).sort()).toEqual(['media.find', 'tokens.find', 'tokens.touch']);
  });

  test('a request whose caller does not sample its trace is not traced', () => {
    expect(spans.filter((span) => span.name === 'GET')).toEqual([]);
  });

  test('an upload has a span for each of its steps', () => {
    const [upload] = spans.filter((span) => span.name === 'POST /v1/workspaces/{workspace}/media_contents');
    const parts = upload ? below(upload) : [];
    for (const part of [
      'workspaces.find',
      'inspector.recognise',
      'storage.stage',
      'inspector.inspectWhile',
      'media.insert',
    ]) {
      expect(parts).toContain(part);
    }
  });

  test('an import continues in the trace of its request', () => {
    const span = only('import');
    const request = spans.find(({ spanId }) => spanId === span.parentSpanId);
    expect(request?.name).toBe('POST /v1/workspaces/{workspace}/media_contents');
    expect(below(span)).toContain('processing.finish');
  });

  test('garbage collection has its own trace, and polling for work has none', () => {
    expect(only('gc').parentSpanId).toBeUndefined();
    expect(spans.filter((span) => span.name === 'imports.claim')).toEqual([]);
  });

  test('no path, query, name or token is sent', () => {
    const sent = collector.bodies.join('\n');
    expect(secrets.length).toBeGreaterThan(6);
    for (const secret of secrets) expect([secret, sent.includes(secret)]).toEqual([secret, false]);
  });
});

test('OTEL_TRACES_SAMPLER_ARG=0 sends no traces', async () => {
  const collector = await Collector.open();
  const world = await World.openAlone({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' });
  try {
    await world.call('GET /media_contents/{unknown}');
    expect(await world.server.end()).toBe(0);
    expect(collector.spans).toEqual([]);
  } finally {
    await world.close();
    await collector.close();
  }
});

test('an unreachable trace receiver only adds a warning to the log', async () => {
  const world = await World.openAlone({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20q1w2e3r4t5z6',
  });
  try {
    for (let times = 0; times < 20; times += 1) {
      expect((await world.call('GET /media_contents/{unknown}')).status).toBe(404);
    }
    await lineWith(world, { level: 'warn', msg: 'tracing' }, 40_000);
    expect(await world.server.end()).toBe(0);
    expect(world.server.log()).not.toContain('q1w2e3r4t5z6');
  } finally {
    await world.close();
  }
});
