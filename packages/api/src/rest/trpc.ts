import { readBearer } from '@postshelf/application';
import type { TRPCError } from '@trpc/server';
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
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    router: appRouter,
    req: new Request(request.url, { method, headers, signal, ...(body && body.length > 0 && { body }) }),
    createContext: () => ({ service, request }),
    maxBatchSize: MAX_BATCH_SIZE,
    // What HTTP wants beside a status; of a batch, the first failure speaks for it.
    responseMeta: ({ errors: [error] }) => ({ headers: error ? headersOf(error) : {} }),
    onError({ error }) {
      if (renderError(error).isFault) service.report.fault(error.cause ?? error, request);
    },
  });
  // A call that tRPC can't read, such as a batch too long, it answers in JSON but doesn't say so.
  if (!/json/.test(response.headers.get('content-type') ?? ''))
    response.headers.set('Content-Type', 'application/json');
  return response;
}

function headersOf(error: TRPCError): Record<string, string> {
  const { Allow, ...headers } = renderError(error).headers;
  // tRPC says itself which method a procedure takes.
  return headers;
}
