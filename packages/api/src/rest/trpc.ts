import { readBearer } from '@postshelf/application';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { renderError } from '../errors.ts';
import { appRouter } from '../routers/index.ts';
import type { Service } from '../service.ts';
import { readLimited } from './json-body.ts';

/** Calls in one batched request. */
const MAX_BATCH_SIZE = 50;

/**
 * `/trpc`: the router through tRPC's own adapter, its bodies limited like those of REST. A stranger's body isn't read:
 * tRPC wants it whole before any procedure looks at the token, and many of them would fill the memory.
 *
 * @throws Refusal `too_large`, `too_slow`
 */
export async function serveTrpc(service: Service, request: Request): Promise<Response> {
  const { method, headers, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isKnown = hasBody && (await readBearer(service.ports, headers.get('authorization'))) !== null;
  const body = isKnown ? await readLimited(request, service.bodyPace) : undefined;
  return fetchRequestHandler({
    endpoint: '/trpc',
    router: appRouter,
    req: new Request(request.url, { method, headers, signal, ...(body && body.length > 0 && { body }) }),
    createContext: () => ({ service, request }),
    maxBatchSize: MAX_BATCH_SIZE,
    onError({ error }) {
      if (renderError(error).isFault) service.report.fault(error.cause ?? error, request);
    },
  });
}
