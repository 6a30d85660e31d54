import { createApi, errorResponse, type Service } from '@postshelf/api';
import type { ImportWorker } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import { bufferDebt, MAX_DEBT } from '../buffer-debt.ts';
import type { Composition } from '../compose.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Logger } from '../telemetry/log.ts';
import { CrossOrigin } from './cors.ts';
import { asGet, withoutBody } from './head.ts';
import { createDocumentRoute } from './openapi.ts';
import { health, readiness } from './probes.ts';
import { createReference } from './reference/serve-reference.ts';

/** Seconds without a byte, either way, after which a connection is dropped; more where an upload is being finished. */
const IDLE_SECONDS = 60;
const UPLOAD_IDLE_SECONDS = 240;

/** Milliseconds that an answer waits for an image by URL; within {@link UPLOAD_IDLE_SECONDS}. */
const IMAGE_PATIENCE = 120_000;

export interface RunningServer {
  /** Takes no new requests and resolves when those under way are answered. */
  stop(): Promise<void>;
}

/**
 * Serves the API, with a request id and a log line for each request.
 *
 * @param worker takes over imports that requests began; null leaves them to other processes
 * @throws ConfigError when it can't listen
 */
export function startServer(
  config: Config,
  { ports, store, database }: Composition,
  worker: ImportWorker | null,
  log: Logger,
): RunningServer {
  const ids = new WeakMap<Request, string>();
  const crossOrigin = new CrossOrigin(config.corsOrigins);
  const service: Service = {
    ports,
    publicUrl: config.publicUrl,
    bodyPace: {
      idleTimeout: config.uploadIdleTimeout,
      minimumRate: config.uploadMinimumRate,
      onChunk: bufferDebt(MAX_DEBT.uploads),
    },
    signedUploads: store.signedUploads,
    mediaBase: store.mediaBase,
    redirectTo: store.redirectTo,
    imports: { worker, retryDelays: config.importRetryDelays, patience: IMAGE_PATIENCE },
    report: {
      fault: (err, request) => log.error({ err, id: ids.get(request) }, 'request failed'),
      warning: (message, { cause, ...details }) => log.warn({ err: cause, ...details }, message),
    },
  };
  const reference = createReference();
  const api = createApi(service, {
    '/health': async () => health(),
    '/ready': (request) => readiness(service, request, database),
    '/v1/openapi.json': createDocumentRoute(config.publicUrl),
    '/docs': reference,
    '/docs/*': reference,
  });

  async function answer(request: Request): Promise<Response> {
    try {
      // An odd Host header makes an address that no router can read (RFC 9110 section 7.2).
      if (!URL.canParse(request.url))
        throw new Refusal({ code: 'malformed', message: 'The Host header is not valid.' });
      const preflight = crossOrigin.preflight(request);
      if (preflight) return preflight;
      if (request.method !== 'HEAD') return await api.fetch(request);
      const get = asGet(request);
      ids.set(get, ids.get(request) ?? '');
      return await withoutBody(await api.fetch(get));
    } catch (error) {
      return errorResponse(service, request, error);
    }
  }

  const serve = (): Bun.Server<undefined> =>
    Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: IDLE_SECONDS,
      // Bodies are limited where they are read, each by its own rule, so that the answer has our shape.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      async fetch(request, server) {
        const start = performance.now();
        const id = Bun.randomUUIDv7();
        ids.set(request, id);
        if (request.method === 'POST' || request.method === 'PUT') server.timeout(request, UPLOAD_IDLE_SECONDS);
        const response = await answer(request);
        response.headers.set('X-Request-Id', id);
        crossOrigin.expose(request, response);
        const ms = Math.round(performance.now() - start);
        // The path alone: queries may hold what is nobody's business.
        log.info({ id, method: request.method, path: pathOf(request.url), status: response.status, ms }, 'request');
        return response;
      },
      error: (error) => {
        // A file that was deleted between its look-up and its first byte.
        if ('code' in error && error.code === 'ENOENT')
          return Response.json({ message: 'Not found.' }, { status: 404 });
        log.error({ err: error }, 'request failed outside the API');
        return Response.json({ message: 'Server error.' }, { status: 500 });
      },
    });
  try {
    const server = serve();
    return { stop: () => server.stop() };
  } catch (cause) {
    throw cannotListen(config, cause);
  }
}

/** A server that can't be started, as the line that stops the start. */
function cannotListen({ host, port }: Config, cause: unknown): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'EADDRINUSE') return new ConfigError(`PORT: ${port} is in use on ${host}`);
  return new ConfigError(`HOST: cannot listen on ${host} (${cause instanceof Error ? cause.message : cause})`);
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? '';
