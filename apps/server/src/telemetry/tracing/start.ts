import type { TracingConfig } from '../../config/config.ts';
import type { Logger } from '../log/log.ts';
import type { Tracing } from '../telemetry.ts';

const NO_TRACING: Tracing = {
  request: (_, work) => work(),
  task: (_, work) => work(),
  apart: (work) => work(),
  ports: (ports) => ports,
  stop: async () => undefined,
};

export async function startTracing(config: TracingConfig | null, log: Logger): Promise<Tracing> {
  if (!config) return NO_TRACING;
  const { openTracing } = await import('./otel.ts');
  return openTracing(config, log);
}
