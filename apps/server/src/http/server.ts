import { createApi, type RequestFacts } from '@postshelf/api';
import { EventFeed, type JobRunner } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import type { RequestLog } from '../telemetry/log/request-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RunningFence } from '../worker/fence.ts';
import { CrossOrigin } from './cors.ts';
import { closeIdleWhenLow } from './idle.ts';
import { listen, type Place } from './listen.ts';
import { createObserver } from './observer.ts';
import { createDocumentRoute } from './openapi.ts';
import type { OperatorAccess } from './operator-access.ts';
import { figures, health, readiness } from './probes.ts';
import { createRequestLimits } from './rate-limit.ts';
import { createReference } from './reference/serve-reference.ts';
import { requireHead, withHost } from './request-head.ts';
import { createRobotsRoute } from './robots.ts';
import { servicePartsOf } from './service-parts.ts';
import { createWeb } from './web/serve-web.ts';

/**
 * Maximum seconds without a byte in either direction, in general and until a request that may complete an upload is
 * answered. Streams of events send a heartbeat more often than that.
 */
const IDLE_SECONDS = 60;
const UPLOAD_IDLE_SECONDS = 240;

/**
 * Methods of requests that may complete an upload. A HEAD completes a resumable upload if the service was killed before
 * it could do so.
 */
const MAY_UPLOAD: readonly string[] = ['POST', 'PUT', 'PATCH', 'HEAD'];

export interface RunningServer {
  /** Makes `/ready` answer 503 from now on; everything else continues. */
  announceStop(): void;
  /**
   * Resolves when all running requests are answered, or at the deadline. Returns the number of requests that were cut
   * off.
   */
  stop(deadline: AbortSignal): Promise<number>;
}

export interface ServerParts {
  readonly composition: Composition;
  readonly fence: Pick<RunningFence, 'readOnly' | 'problem'>;
  /** null if other processes do the background work. */
  readonly runner: JobRunner | null;
  readonly telemetry: Telemetry & { readonly metrics: Metrics };
  readonly logRequest: RequestLog;
  readonly hasAccess: OperatorAccess;
}

export const placeOfServer = ({ host, port }: Config): Place => ({ host, port, setting: 'PORT' });

/**
 * Serves the API. Each request has an id and a log line, and is counted in the metrics.
 *
 * @throws ConfigError if the server can't listen
 */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  const { composition, fence, runner, telemetry, logRequest, hasAccess } = parts;
  const { ports, store } = composition;
  const shared = servicePartsOf(config, composition);
  const { log, metrics } = telemetry;
  const crossOrigin = new CrossOrigin(config.corsOrigins);
  const observer = createObserver({ telemetry, logRequest });
  const feed = new EventFeed(ports, {
    onFault: (err) => log.error({ err }, 'events could not be read; streams wait until they can be'),
  });
  let isStopping = false;
  let server: Bun.Server<undefined> | undefined;
  const service = {
    ...shared,
    allowsOrigin: (origin: string) => crossOrigin.allows(origin),
    peerOf: (request: Request) => server?.requestIP(request)?.address ?? null,
    imports: { ...shared.imports, runner },
    feed,
    limits: await createRequestLimits(config.rateLimit, metrics),
    observer,
  };
  const { publicUrl, undoTime } = config;
  const signInWith = ports.identityProvider?.name ?? null;
  const reference = createReference();
  const robots = createRobotsRoute(config);
  const ready = readiness<RequestFacts>({ ...composition, fence }, () => isStopping, hasAccess, observer.fault);
  const web = config.web ? createWeb({ publicUrl, origins: store.origins, signInWith, undoTime }) : null;
  const api = createApi(service, {
    early(request) {
      requireHead(request);
      requireWritable(request, fence);
      return crossOrigin.preflight(request);
    },
    probes: {
      '/health': health,
      '/ready': ready,
      '/robots.txt': robots,
      '/metrics': (facts) => figures(metrics, facts, hasAccess),
      '/v1/openapi.json': createDocumentRoute(config.publicUrl),
    },
    pages: {
      '/docs': reference,
      '/docs/*': reference,
      ...web?.pages,
    },
    ...(web && { missing: web.missing }),
  });
  const listening = await listen(placeOfServer(config), (hostname) =>
    Bun.serve({
      hostname,
      port: config.port,
      idleTimeout: IDLE_SECONDS,
      // Bun's limit is disabled. Each operation limits its body itself, with an error in the API's format.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      async fetch(request, own) {
        if (MAY_UPLOAD.includes(request.method)) own.timeout(request, UPLOAD_IDLE_SECONDS);
        const response = await api.fetch(withHost(request));
        if (MAY_UPLOAD.includes(request.method)) own.timeout(request, IDLE_SECONDS);
        crossOrigin.expose(request, response);
        return response;
      },
      error: (error) => {
        // A file that was found for a response has been deleted before its first byte was read.
        if ('code' in error && error.code === 'ENOENT')
          return Response.json({ message: 'Not found.' }, { status: 404 });
        log.error({ err: error }, 'request failed outside the API');
        return Response.json({ message: 'Server error.' }, { status: 500 });
      },
    }),
  );
  server = listening;
  const endWatch = closeIdleWhenLow(listening, reportClosing(telemetry));
  return {
    announceStop() {
      isStopping = true;
    },
    async stop(deadline) {
      // Without these calls, long requests such as streams of events wouldn't end.
      feed.close();
      api.announceStop();
      const cutOff = await stopServer(listening, deadline).finally(endWatch);
      await api.close();
      return cutOff;
    },
  };
}

const WARNING_INTERVAL = 60_000;

function reportClosing({ log, metrics }: ServerParts['telemetry']): (count: number) => void {
  let isReported = false;
  return (count) => {
    metrics.closedEarly(count);
    if (isReported) return;
    isReported = true;
    setTimeout(() => {
      isReported = false;
    }, WARNING_INTERVAL).unref();
    log.warn({ closed: count }, 'descriptors are low: idle connections are closed early');
  };
}

const CHECK_INTERVAL = 25;

/** Milliseconds that handlers get to clean up after their requests were cut off. */
const CLEANUP_TIME = 1_000;

/**
 * Waits until running requests have ended, and cuts off the remaining ones at the deadline. Bun's own `stop()` would
 * also wait for connections with an incomplete request.
 *
 * @returns the number of requests that were cut off
 */
async function stopServer(server: Bun.Server<undefined>, deadline: AbortSignal): Promise<number> {
  const closed = server.stop();
  while (server.pendingRequests > 0 && !deadline.aborted) await Bun.sleep(CHECK_INTERVAL);
  const cutOff = server.pendingRequests;
  await server.stop(true);
  await Promise.race([closed, Bun.sleep(cutOff > 0 ? CLEANUP_TIME : 0)]);
  return cutOff;
}

const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Refuses changes before a body is read. @throws Refusal `unavailable` if the library is read-only */
function requireWritable({ method }: Request, { readOnly }: Pick<RunningFence, 'readOnly'>): void {
  const message = READING.includes(method) ? null : readOnly();
  if (message !== null) throw new Refusal({ code: 'unavailable', message });
}
