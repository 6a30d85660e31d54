import type { RequestFacts } from '@postshelf/api';
import type { Resources } from '@postshelf/application';
import type { Logger } from './log/log.ts';
import type { Metrics } from './metrics.ts';

export interface Telemetry {
  readonly log: Logger;
  readonly tracing: Tracing;
  /** null in a process without HTTP. */
  readonly metrics: Metrics | null;
}

/** Whether this process is answering no request at the moment. This is always true in a process without the API. */
export const isQuiet = ({ metrics }: Telemetry): boolean => (metrics?.inFlight ?? 0) === 0;

/** Traces the program's work. */
export interface Tracing {
  /** Traces a request. It is a child of the caller's span if the request's headers name one (W3C Trace Context). */
  request(facts: Pick<RequestFacts, 'request' | 'route'>, work: () => Promise<Response>): Promise<Response>;
  task<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs work outside of the current trace, although it is started within a span of that trace. */
  apart<T>(work: () => T): T;
  ports(ports: Resources): Resources;
  /** Sends buffered spans, which takes a few seconds at most. */
  stop(): Promise<void>;
}
