import { errorResponse } from '@postshelf/api';
import { notFound, Refusal } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { cannotListen } from './cannot-listen.ts';
import { withoutBody } from './head.ts';
import { figures, health, type Probed, readiness } from './probes.ts';
import { parseLargeHeads, requireHead } from './request-head.ts';
import { beginVisit, type Visit } from './visits.ts';

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
  { host, metricsToken, trustProxy }: Pick<Config, 'host' | 'metricsToken' | 'trustProxy'>,
  port: number,
  probed: Probed,
  metrics: Metrics,
): ProbeServer {
  let isStopping = false;
  const probes: Readonly<Record<string, (request: Request, visit: Visit) => Response | Promise<Response>>> = {
    '/health': health,
    '/ready': readiness(probed, () => isStopping),
    '/metrics': (request, visit) => figures(metrics, request, metricsToken, visit),
  };
  const answer = async (request: Request, peerOf: () => string | null): Promise<Response> => {
    requireHead(request);
    const { pathname } = new URL(request.url);
    const probe = Object.hasOwn(probes, pathname) ? probes[pathname] : undefined;
    if (!probe) throw notFound();
    if (!METHODS.includes(request.method)) throw new Refusal({ code: 'method_not_allowed', allow: METHODS });
    return probe(request, beginVisit(request, peerOf, trustProxy));
  };
  parseLargeHeads();
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      async fetch(request, server) {
        const peerOf = (): string | null => server.requestIP(request)?.address ?? null;
        const response = await answer(request, peerOf).catch((error: unknown) => errorResponse(probed, request, error));
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
