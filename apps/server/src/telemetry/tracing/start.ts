import type { TracingConfig } from '../../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { Tracing } from '../telemetry.ts';

/** Tracing that does nothing. */
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
  // Loaded when needed: the SDK takes some 20 MB of memory.
  const { openTracing } = await import('./otel.ts');
  return openTracing(config, log);
}
