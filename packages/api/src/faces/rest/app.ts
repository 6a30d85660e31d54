import { notFound, Refusal } from '@postshelf/domain';
import { Elysia } from 'elysia';
import { beginExchange, type Exchange, renderFailure } from '../../exchange.ts';
import type { RequestFacts } from '../../request-facts.ts';
import { createService, type ServiceParts } from '../../service.ts';
import type { Handler, Params } from './operations.ts';
import { withoutBody } from './respond.ts';
import { getAndHead, type Methods, routesOf } from './routes.ts';

/** Options that keep Elysia from parsing bodies, because the handlers read them within limits. */
const UNPARSED = { parse: 'none' } as const;

type OwnHandler = (facts: RequestFacts) => Promise<Response> | Response;

/** Routes of the server in addition to the API. */
export interface OwnRoutes {
  /** Called before a route is looked up; returns null to continue. */
  readonly early?: (request: Request) => Response | null;
  /** Handlers by path. A probe is served only at exactly its path. */
  readonly probes?: Readonly<Record<string, OwnHandler>>;
  /** Handlers by path. A page is also served with a slash at the end; its path may contain a `*`. */
  readonly pages?: Readonly<Record<string, OwnHandler>>;
  /** Called for a request that matches no route; returns null for the usual refusal. The log says `not_found`. */
  readonly missing?: (request: Request) => Promise<Response | null>;
}

export interface Api {
  fetch(request: Request): Promise<Response> | Response;
  /**
   * Must be called when the service is about to stop. From then on, answers no longer wait for the rest of a request.
   */
  announceStop(): void;
  /** Writes pending entries to the audit log. Called after the last request. */
  close(): Promise<void>;
}

/**
 * Creates the whole API. Routes are bound once, on an Elysia app. A known path answers unsupported methods with 405.
 */
export function createApi(parts: ServiceParts, { early, probes = {}, pages = {}, missing }: OwnRoutes = {}): Api {
  const service = createService(parts);
  const answer = (request: Request, route: string | null, work: Work): Promise<Response> =>
    respond(beginExchange(service, request, route), work);
  // With `standardHostname`, Elysia would treat a host of up to three characters (`http://api/`) as a part of the path.
  const app = new Elysia({ handler: { standardHostname: false } }).onError(({ error, code, request }) =>
    answer(request, null, async ({ record }) => {
      if (code !== 'NOT_FOUND') throw error;
      const page = await missing?.(request);
      if (!page) throw notFound();
      record.refused(notFound());
      return page;
    }),
  );
  const routes = new Map(routesOf(service));
  for (const [path, handler] of Object.entries({ ...probes, ...pages }))
    routes.set(
      path,
      getAndHead(({ facts }) => handler(facts)),
    );
  for (const [path, methods] of routes) {
    const isExact = Object.hasOwn(probes, path);
    const route = path.replace(/:(\w+)/g, '{$1}');
    const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
    const handle = ({ request, params }: Routed): Promise<Response> => {
      if (isExact && new URL(request.url).pathname !== path) return answer(request, null, refuseUnknown);
      return answer(request, route, (exchange) => handlerFor(methods, request)(exchange, readParams(names, params)));
    };
    // For HEAD, Elysia itself would read the whole body to measure it.
    app.all(path, handle, UNPARSED).route('HEAD', path, handle, UNPARSED);
  }
  return {
    fetch(request) {
      let response: Response | null;
      try {
        response = early?.(request) ?? null;
      } catch (cause) {
        return answer(request, null, () => {
          throw cause;
        });
      }
      const ended = response;
      return ended ? answer(request, null, () => ended) : app.fetch(request);
    },
    announceStop: () => service.lingering.end(),
    close: () => service.auditLog.close(),
  };
}

type Work = (exchange: Exchange) => Promise<Response> | Response;

async function respond(exchange: Exchange, work: Work): Promise<Response> {
  const { service, facts, body, reply, record } = exchange;
  const response = await service.observer.observe(record, async () => {
    const isHead = facts.request.method === 'HEAD';
    try {
      const answered = await work(exchange);
      return isHead ? await withoutBody(answered) : answered;
    } catch (error) {
      const rendered = renderFailure(exchange, error);
      const refusal = Response.json(rendered.body, rendered);
      return isHead ? withoutBody(refusal) : refusal;
    } finally {
      body.release();
    }
  });
  reply.addHeaders(response.headers, facts.id);
  return service.lingering.answer(reply.inPiecesIfHeld(response), body);
}

/**
 * Refuses a probe's path with a trailing slash, which Elysia also matches. A proxy that hides probes knows only their
 * exact paths.
 */
const refuseUnknown = (): never => {
  throw notFound();
};

/** @throws Refusal `method_not_allowed` */
function handlerFor(methods: Methods, { method }: Request): Handler {
  const handler = methods.get(method);
  if (!handler) throw new Refusal({ code: 'method_not_allowed', allow: [...methods.keys()] });
  return handler;
}

/** The parts of Elysia's context that a handler gets. */
interface Routed {
  readonly request: Request;
  readonly params?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the path's parameters. Elysia omits a parameter whose percent-encoding is invalid. Such a parameter is treated
 * as empty, so no resource is found.
 */
function readParams(names: readonly string[], given: Readonly<Record<string, string | undefined>> = {}): Params {
  const params: Record<string, string> = {};
  for (const name of names) params[name] = given[name] ?? '';
  return params;
}
