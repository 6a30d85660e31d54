import { createApi, errorResponse, type Service } from '@postshelf/api';
import { type ImportWorker, recordTokenUse } from '@postshelf/application';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import { bufferDebt, MAX_DEBT } from '../telemetry/collect-buffers.ts';
import type { RequestLog } from '../telemetry/log/request-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { afterTurn } from './after-turn.ts';
import { cannotListen } from './cannot-listen.ts';
import { CrossOrigin } from './cors.ts';
import { createDoor } from './door.ts';
import { asGet, withoutBody } from './head.ts';
import { createDocumentRoute } from './openapi.ts';
import type { Places } from './places.ts';
import { figures, health, readiness } from './probes.ts';
import { createRateLimit, rateHeaders } from './rate-limit.ts';
import { createReference } from './reference/serve-reference.ts';
import { parseLargeHeads, requireHead } from './request-head.ts';
import { stopServer } from './stop.ts';
import { beginVisit, type Visit } from './visits.ts';

/** Seconds without a byte, either way, after which a connection is dropped; more where an upload is being finished. */
const IDLE_SECONDS = 60;
const UPLOAD_IDLE_SECONDS = 240;

/** Milliseconds that an answer waits for an image by URL; within {@link UPLOAD_IDLE_SECONDS}. */
const IMAGE_PATIENCE = 120_000;

/** Paths that machines ask all the time: only their failures are worth a line at the usual level. */
const PROBES: readonly (string | null)[] = ['/health', '/ready', '/metrics'];

export interface RunningServer {
  /** From now on `/ready` answers 503; everything else goes on. */
  announceStop(): void;
  /** Takes no new requests and resolves when those under way are answered, or at the deadline with the number cut off. */
  stop(deadline: AbortSignal): Promise<number>;
}

export interface ServerParts {
  readonly composition: Composition;
  /** Takes over imports that requests began; null leaves them to other processes. */
  readonly worker: ImportWorker | null;
  readonly telemetry: Telemetry & { readonly metrics: Metrics };
  readonly logRequest: RequestLog;
  /** Where requests receive files. */
  readonly places: Places;
}

/**
 * Serves the API, with a request id, figures and a log line for each request.
 *
 * @throws ConfigError when it can't listen
 */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  const { composition, worker, logRequest, places } = parts;
  const { ports, store, database } = composition;
  const { log, metrics, tracing } = parts.telemetry;
  // Kept while a request is answered. A WeakMap would keep itself, at the price of another small read for each request.
  const visits = new Map<Request, Visit>();
  const visitOf = (request: Request): Visit | undefined => visits.get(request);
  const countDebt = bufferDebt(() => MAX_DEBT.uploads(places.figures.running));
  const crossOrigin = new CrossOrigin(config.corsOrigins);
  let isStopping = false;
  const service: Service = {
    ports,
    publicUrl: config.publicUrl,
    bodyPace: {
      idleTimeout: config.uploadIdleTimeout,
      minimumRate: config.uploadMinimumRate,
      onChunk(bytes, request, garbage = bytes) {
        countDebt(garbage);
        const visit = visitOf(request);
        if (visit) visit.bytesIn += bytes;
      },
    },
    signedUploads: store.signedUploads,
    mediaBase: store.mediaBase,
    redirectTo: store.redirectTo,
    imports: { worker, retryDelays: config.importRetryDelays, imageTimeout: IMAGE_PATIENCE },
    noteUse: recordTokenUse(ports, (err, token) => log.warn({ err, token }, "a token's use could not be written down")),
    report: {
      fault: (err, request) => log.error({ err, id: visitOf(request)?.id }, 'request failed'),
      missing(media) {
        metrics.mediaMissing();
        log.error({ media }, 'the bytes of an active media item are missing');
      },
      warning: (message, { cause, ...details }) => log.warn({ err: cause, ...details }, message),
    },
    door: createDoor(visitOf, { rate: await createRateLimit(config.rateLimit), places }, metrics),
  };
  const reference = createReference();
  const probes = {
    '/health': async () => health(),
    '/ready': readiness({ ...service, database }, () => isStopping),
    '/metrics': (request: Request) => {
      notes.settle();
      return figures(metrics, request, config.metricsToken, visitOf(request));
    },
    '/v1/openapi.json': createDocumentRoute(config.publicUrl),
  };
  const api = createApi(service, probes, { '/docs': reference, '/docs/*': reference });

  async function answer(request: Request): Promise<Response> {
    try {
      requireHead(request);
      const preflight = crossOrigin.preflight(request);
      if (preflight) return preflight;
      if (request.method !== 'HEAD') return await api.fetch(request);
      return await answerHead(asGet(request), visitOf(request));
    } catch (error) {
      return errorResponse(service, request, error);
    }
  }

  async function answerHead(get: Request, visit: Visit | undefined): Promise<Response> {
    if (visit) visits.set(get, visit);
    try {
      return await withoutBody(await api.fetch(get));
    } finally {
      visits.delete(get);
    }
  }

  /** The figures and the line of an answered request, once the answers of this turn of the event loop are out. */
  const notes = afterTurn(({ method, url, visit, status, ms }: Answered): void => {
    const { id, route, bytesIn, token, address } = visit;
    metrics.answered({ method, route, status, seconds: ms / 1000, bytesIn });
    const level = PROBES.includes(route) && status < 400 ? 'debug' : 'info';
    // The path alone: queries may hold what is nobody's business.
    const path = pathOf(url);
    logRequest(level, { id, method, path, route, status, ms: Math.round(ms), bytes: bytesIn, token, address });
  });

  const serve = (): Bun.Server<undefined> =>
    Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: IDLE_SECONDS,
      // Bodies are limited where they are read, each by its own rule, so that the answer has our shape.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      async fetch(request, server) {
        const start = performance.now();
        const visit = beginVisit(request, () => server.requestIP(request)?.address ?? null, config.trustProxy);
        visits.set(request, visit);
        metrics.came();
        if (request.method === 'POST' || request.method === 'PUT') server.timeout(request, UPLOAD_IDLE_SECONDS);
        try {
          const routeOf = (): string | null => visit.route;
          const response = await tracing.request(request, () => answer(request), routeOf);
          response.headers.set('X-Request-Id', visit.id);
          if (visit.rate) for (const header of Object.entries(rateHeaders(visit.rate))) response.headers.set(...header);
          crossOrigin.expose(request, response);
          const { method, url } = request;
          notes.add({ method, url, visit, status: response.status, ms: performance.now() - start });
          return response;
        } finally {
          visits.delete(request);
        }
      },
      error: (error) => {
        // A file that was deleted between its look-up and its first byte.
        if ('code' in error && error.code === 'ENOENT')
          return Response.json({ message: 'Not found.' }, { status: 404 });
        log.error({ err: error }, 'request failed outside the API');
        return Response.json({ message: 'Server error.' }, { status: 500 });
      },
    });
  parseLargeHeads();
  try {
    const server = serve();
    const announceStop = (): void => {
      isStopping = true;
    };
    return { announceStop, stop: (deadline) => stopServer(server, deadline) };
  } catch (cause) {
    throw cannotListen({ host: config.host, port: config.port, setting: 'PORT' }, cause);
  }
}

/** A request that was answered. */
interface Answered {
  readonly method: string;
  readonly url: string;
  readonly visit: Visit;
  readonly status: number;
  /** Milliseconds until the answer's head. */
  readonly ms: number;
}

/** The path of an absolute URL: what stands between host and query, as a client sent it. */
function pathOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', path);
  return url.slice(path, query < 0 ? undefined : query);
}
