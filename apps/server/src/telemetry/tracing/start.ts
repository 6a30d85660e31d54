import type { TracingConfig } from '../../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { Tracing } from '../telemetry.ts';

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
