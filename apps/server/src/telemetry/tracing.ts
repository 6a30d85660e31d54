import type { RequestContext } from '@postshelf/api';
import type { Ports } from '@postshelf/application';
import type { TracingConfig } from '../operating.ts';
import type { Logger } from './log.ts';

/** Makes traces of what the program does. */
export interface Tracing {
  /**
   * Runs a request's work as one span, the child of the caller's where its headers name one (W3C Trace Context).
   */
  request(context: Pick<RequestContext, 'request' | 'route'>, work: () => Promise<Response>): Promise<Response>;
  /** Runs work that nobody waits for as one span. */
  task<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs what a span happens to begin and has nothing to do with, so that it isn't a part of its trace. */
  apart<T>(work: () => T): T;
  /** The same ports; each asynchronous call within a trace is a span of it. */
  ports(ports: Ports): Ports;
  /** Sends what was kept back, for at most a few seconds. */
  stop(): Promise<void>;
}

/** Makes none, at no cost. */
const NO_TRACING: Tracing = {
  request: (_, work) => work(),
  task: (_, work) => work(),
  apart: (work) => work(),
  ports: (ports) => ports,
  stop: async () => undefined,
};

/** @param config null: no traces */
export async function startTracing(config: TracingConfig | null, log: Logger): Promise<Tracing> {
  if (!config) return NO_TRACING;
  // Loaded where it is used: the SDK is some 20 MB in memory.
  const { openTracing } = await import('./otel.ts');
  return openTracing(config, log);
}
