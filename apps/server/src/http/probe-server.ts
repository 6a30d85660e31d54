import { errorResponse, withoutBody } from '@postshelf/api';
import { notFound, Refusal } from '@postshelf/domain';
import type { Metrics } from '../telemetry/metrics.ts';
import { listen, type Place } from './listen.ts';
import type { OperatorAccess } from './operator-access.ts';
import { figures, health, type Probed, readiness } from './probes.ts';
import { requireHead, withHost } from './request-head.ts';

export interface ProbeServer {
  /** Makes `/ready` answer 503 from now on. */
  announceStop(): void;
  stop(): Promise<void>;
}

interface Probe {
  readonly request: Request;
  readonly peer: string | null;
}

const METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * Serves `/health`, `/ready` and `/metrics`, for a process without the API.
 *
 * @throws ConfigError if the server can't listen
 */
export async function startProbeServer(
  place: Place,
  probed: Probed,
  metrics: Metrics,
  hasAccess: OperatorAccess,
  onFault: (cause: unknown) => void,
): Promise<ProbeServer> {
  let isStopping = false;
  const ready = readiness(probed, () => isStopping, hasAccess, onFault);
  const probes: Readonly<Record<string, (probe: Probe) => Response | Promise<Response>>> = {
    '/health': health,
    '/ready': ready,
    '/metrics': (probe) => figures(metrics, probe, hasAccess),
  };
  const answer = async (request: Request, peer: string | null): Promise<Response> => {
    requireHead(request);
    const { pathname } = new URL(request.url);
    const probe = Object.hasOwn(probes, pathname) ? probes[pathname] : undefined;
    if (!probe) throw notFound();
    if (!METHODS.includes(request.method)) throw new Refusal({ code: 'method_not_allowed', allow: METHODS });
    return probe({ request, peer });
  };
  const server = await listen(place, (hostname) =>
    Bun.serve({
      hostname,
      port: place.port,
      async fetch(request, own) {
        const peer = own.requestIP(request)?.address ?? null;
        const response = await answer(withHost(request), peer).catch((error: unknown) => errorResponse(error, onFault));
        return request.method === 'HEAD' ? withoutBody(response) : response;
      },
    }),
  );
  return {
    announceStop() {
      isStopping = true;
    },
    stop: () => server.stop(true),
  };
}
