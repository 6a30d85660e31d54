import { notFound, Refusal } from '@postshelf/domain';
import { Elysia } from 'elysia';
import type { Service } from '../service.ts';
import { errorResponse } from './respond.ts';
import { type Params, routesOf } from './routes.ts';

/** Bodies are read by the handlers, as far and as fast as they allow. */
const UNPARSED = { parse: 'none' } as const;

/**
 * The whole API as one Elysia app. Routes are bound once, here; a known path answers every other method with 405, and
 * every failure leaves in the one shape.
 */
export function createApi(service: Service) {
  const app = new Elysia().onError(({ error, code, request }) =>
    errorResponse(service, request, code === 'NOT_FOUND' ? notFound() : error),
  );
  for (const [path, methods] of routesOf(service)) {
    for (const [method, handler] of methods) {
      app.route(method, path, ({ request, params }) => handler(request, readParams(params)), UNPARSED);
    }
    const wrongMethod = new Refusal({ code: 'method_not_allowed', allow: [...methods.keys()] });
    app.all(path, ({ request }) => errorResponse(service, request, wrongMethod), UNPARSED);
  }
  return app;
}

/** Elysia leaves out a parameter whose percent-encoding is broken; it names nothing, like the empty one. */
function readParams(params: Readonly<Record<string, string | undefined>>): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value ?? '']));
}
