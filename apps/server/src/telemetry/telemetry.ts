import type { Logger } from './log/log.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What tells operators how the service fares. */
export interface Telemetry {
  readonly log: Logger;
  readonly tracing: Tracing;
  /** null in a process that nobody can ask for them. */
  readonly metrics: Metrics | null;
}
