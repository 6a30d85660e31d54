import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { Refusal } from '@postshelf/domain';
import type { TracingConfig } from '../../config/config.ts';
import { knownMethod } from '../known-method.ts';
import type { Logger } from '../log/log.ts';
import type { Tracing } from '../telemetry.ts';
import { version } from '../version.ts';
import { tracePorts } from './trace-ports.ts';

/** Maximum milliseconds that an export may take, and that stopping may wait for the last export. */
const EXPORT_TIMEOUT = 5_000;
const STOP_TIMEOUT = 3_000;

/**
 * Exports traces over OTLP/HTTP as JSON. Spans have few attributes of fixed kinds, and never a path, query, header,
 * message or token.
 */
export function openTracing(config: TracingConfig, log: Logger): Tracing {
  const warn = (message: string): void => log.warn({ detail: message.slice(0, 500) }, 'tracing');
  const ignore = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    headers: { ...config.headers },
    timeoutMillis: EXPORT_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.serviceName, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT })],
  });
  const tracer = provider.getTracer('postshelf');
  const active = new AsyncLocalStorage<Context>();
  const propagator = new W3CTraceContextPropagator();

  function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    return active.run(trace.setSpan(parent, span), async () => {
      try {
        return await work();
      } catch (error) {
        noteFailure(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  return {
    request({ request, route }, work) {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, HEADERS);
      const method = knownMethod(request.method, '_OTHER');
      const attributes: Attributes = { 'http.request.method': method };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      return within(span, parent, async () => {
        const response = await work();
        if (route !== null) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', response.status);
        if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      });
    },
    task(name, work) {
      const parent = active.getStore() ?? ROOT_CONTEXT;
      return within(tracer.startSpan(name, {}, parent), parent, work);
    },
    apart: (work) => active.exit(work),
    ports: (ports) =>
      tracePorts(ports, (name) => {
        const parent = active.getStore();
        if (!parent) return null;
        const span = tracer.startSpan(name, { kind: SpanKind.CLIENT }, parent);
        return (error) => {
          if (error !== undefined) noteFailure(span, error);
          span.end();
        };
      }),
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_TIMEOUT).unref());
      await Promise.race([provider.shutdown(), late]);
    },
  };
}

/** Marks a failure in the span. A refusal is a normal answer, and so doesn't count as an error of the span. */
function noteFailure(span: Span, error: unknown): void {
  const isRefusal = error instanceof Refusal;
  const type = isRefusal ? error.problem.code : error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', type);
  if (!isRefusal || error.problem.code === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}

const HEADERS = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};
