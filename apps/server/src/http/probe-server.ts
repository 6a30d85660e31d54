import { clientAddress, errorResponse, withoutBody } from '@postshelf/api';
import { notFound, Refusal } from '@postshelf/domain';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { cannotListen } from './cannot-listen.ts';
import { figures, health, type Probed, readiness } from './probes.ts';
import { parseLargeHeads, requireHead } from './request-head.ts';

export interface ProbeServer {
  /** From now on `/ready` answers 503. */
  announceStop(): void;
  /** Closes all connections, including those that wait for an answer. */
  stop(): Promise<void>;
}

const METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * Serves `/health`, `/ready` and `/metrics` like the API server, and nothing else, for a process without the API.
 *
 * @throws ConfigError if it can't listen
 */
export function startProbeServer(
  { host, metricsToken, trustProxy }: Pick<Config, 'host' | 'metricsToken' | 'trustProxy'>,
  port: number,
  probed: Probed,
  metrics: Metrics,
  onFault: (cause: unknown) => void,
): ProbeServer {
  let isStopping = false;
  const ready = readiness(probed, () => isStopping);
  const probes: Readonly<Record<string, (request: Request, peer: string | null) => Response | Promise<Response>>> = {
    '/health': health,
    '/ready': ready,
    '/metrics'(request, peer) {
      const address = clientAddress(request, () => peer, trustProxy);
      return figures(metrics, { request, address, peer }, metricsToken);
    },
  };
  const answer = async (request: Request, peer: string | null): Promise<Response> => {
    requireHead(request);
    const { pathname } = new URL(request.url);
    const probe = Object.hasOwn(probes, pathname) ? probes[pathname] : undefined;
    if (!probe) throw notFound();
    if (!METHODS.includes(request.method)) throw new Refusal({ code: 'method_not_allowed', allow: METHODS });
    return probe(request, peer);
  };
  parseLargeHeads();
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      async fetch(request, server) {
        const peer = server.requestIP(request)?.address ?? null;
        const response = await answer(request, peer).catch((error: unknown) => errorResponse(error, onFault));
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
