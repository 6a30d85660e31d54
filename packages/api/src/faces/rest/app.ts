import { notFound, Refusal } from '@postshelf/domain';
import { Elysia } from 'elysia';
import type { Service } from '../../service.ts';
import { errorResponse } from './respond.ts';
import { type Handler, type Params, readable, routesOf } from './routes.ts';

/** Bodies are read by the handlers, as far and as fast as they allow. */
const UNPARSED = { parse: 'none' } as const;

/**
 * The whole API as one Elysia app. Routes are bound once, here; a known path answers every other method with 405, and
 * every failure leaves in the one shape.
 *
 * @param probes further paths that answer to GET and HEAD, each at exactly this address
 * @param pages such paths for people, which may end with a slash too, or with `*`
 */
export function createApi(
  service: Service,
  probes: Readonly<Record<string, Handler>> = {},
  pages: Readonly<Record<string, Handler>> = {},
) {
  // Elysia's short cut past the host takes one of up to three characters (`http://api/`) for a part of the path.
  const app = new Elysia({ handler: { standardHostname: false } }).onError(({ error, code, request }) =>
    errorResponse(service, request, code === 'NOT_FOUND' ? notFound() : error),
  );
  const routes = new Map(routesOf(service));
  for (const [path, handler] of Object.entries({ ...probes, ...pages })) routes.set(path, readable(handler));
  for (const [path, methods] of routes) {
    const isExact = Object.hasOwn(probes, path);
    const route = path.replace(/:(\w+)/g, '{$1}');
    const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
    const enter = (request: Request): void => {
      if (isExact) requirePath(request, path);
      service.door.enter(request, route);
    };
    for (const [method, handler] of methods) {
      const handle = ({ request, params }: Routed) => {
        enter(request);
        return handler(request, readParams(names, params));
      };
      app.route(method, path, handle, UNPARSED);
    }
    const wrongMethod = new Refusal({ code: 'method_not_allowed', allow: [...methods.keys()] });
    const refuse = ({ request }: Routed) => {
      enter(request);
      return errorResponse(service, request, wrongMethod);
    };
    app.all(path, refuse, UNPARSED);
  }
  return app;
}

/**
 * Elysia finds a route in spite of a slash at its end. Not so a probe: a proxy that hides its path doesn't know which
 * others come to the same.
 *
 * @throws Refusal `not_found`
 */
function requirePath(request: Request, path: string): void {
  if (new URL(request.url).pathname !== path) throw notFound();
}

/** What a route's handler gets of Elysia's context. */
interface Routed {
  readonly request: Request;
  readonly params?: Readonly<Record<string, string | undefined>>;
}

/**
 * Elysia leaves out a parameter whose percent-encoding is broken; it names nothing, like the empty one. A path without
 * parameters has none at all.
 */
function readParams(names: readonly string[], given: Readonly<Record<string, string | undefined>> = {}): Params {
  const params: Record<string, string> = {};
  for (const name of names) params[name] = given[name] ?? '';
  return params;
}
