import { errorResponse } from '@postshelf/api';
import { notFound, Refusal } from '@postshelf/domain';
import type { Config } from '../config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { cannotListen } from './cannot-listen.ts';
import { withoutBody } from './head.ts';
import { figures, health, type Probed, readiness } from './probes.ts';
import { parseLargeHeads, requireHead } from './request-head.ts';

export interface ProbeServer {
  /** From now on `/ready` answers 503. */
  announceStop(): void;
  /** Hangs up, also on those who wait for an answer. */
  stop(): Promise<void>;
}

const METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * Answers `/health`, `/ready` and `/metrics` as a server does, and nothing else, for a process that serves nothing.
 *
 * @throws ConfigError when it can't listen
 */
export function startProbeServer(
  { host, metricsToken }: Pick<Config, 'host' | 'metricsToken'>,
  port: number,
  probed: Probed,
  metrics: Metrics,
): ProbeServer {
  let isStopping = false;
  const probes: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    '/health': health,
    '/ready': readiness(probed, () => isStopping),
    '/metrics': (request) => figures(metrics, request, metricsToken),
  };
  const answer = async (request: Request): Promise<Response> => {
    requireHead(request);
    const { pathname } = new URL(request.url);
    const probe = Object.hasOwn(probes, pathname) ? probes[pathname] : undefined;
    if (!probe) throw notFound();
    if (!METHODS.includes(request.method)) throw new Refusal({ code: 'method_not_allowed', allow: METHODS });
    return probe(request);
  };
  parseLargeHeads();
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      async fetch(request) {
        const response = await answer(request).catch((error: unknown) => errorResponse(probed, request, error));
        return request.method === 'HEAD' ? withoutBody(response) : response;
      },
    });
    return {
      announceStop() {
        isStopping = true;
      },
      stop: () => server.stop(true),
    };
  } catch (cause) {
    throw cannotListen({ host, port, setting: 'WORKER_PORT' }, cause);
  }
}
