import { authenticate, readBearer } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import { getTRPCErrorShape, TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { renderError, TRPC_CODES } from '../../errors.ts';
import { appRouter } from '../../operations/index.ts';
import type { Service } from '../../service.ts';
import { readLimited } from '../../body/json.ts';

/** Calls in one batched request. */
const MAX_BATCH_SIZE = 50;

const JSON_LINES = 'application/jsonl';

const TOO_LONG = `A batch must not have more than ${MAX_BATCH_SIZE} calls.`;

/**
 * `/trpc`: the router through tRPC's own adapter, its bodies limited like those of REST. A stranger's body isn't read:
 * tRPC wants it whole before any procedure looks at the token, and many of them would fill the memory.
 *
 * @throws Refusal `too_large`, `too_slow`
 */
export async function serveTrpc(service: Service, request: Request): Promise<Response> {
  const { method, headers, signal } = request;
  const refused = await refuseWhole(service, request);
  if (refused) return showFailure(service, request, refused);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isKnown = hasBody && (await readBearer(service.ports, headers.get('authorization'))) !== null;
  const body = isKnown ? await readLimited(request, service.bodyPace) : undefined;
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    router: appRouter,
    req: new Request(request.url, { method, headers, signal, ...(body && body.length > 0 && { body }) }),
    createContext: () => ({ service, request }),
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

/**
 * What fails all calls of a request, to be said before tRPC begins with any: of a stream the status goes out before its
 * calls are looked at. null when nothing does.
 */
async function refuseWhole({ ports }: Service, { url, headers }: Request): Promise<unknown> {
  const { pathname, searchParams } = new URL(url);
  // tRPC decodes the path before it looks for commas.
  const calls = searchParams.get('batch') === '1' ? pathname.split(/,|%2c/i).length : 1;
  if (calls > MAX_BATCH_SIZE) return new Refusal({ code: 'malformed', message: TOO_LONG });
  if (!isStream(headers)) return null;
  return authenticate(ports, headers.get('authorization')).then(
    () => null,
    (cause: unknown) => cause,
  );
}

/** Whether tRPC answers with a line for each call as it comes (`httpBatchStreamLink`), by the two headers that it looks at. */
const isStream = (headers: Headers): boolean =>
  (headers.get('trpc-accept') ?? headers.get('accept') ?? '').split(',').some((type) => type.trim() === JSON_LINES);

/** A failure as tRPC shows one that is of no single call. Its links give it to each of theirs. */
function showFailure(service: Service, request: Request, cause: unknown): Response {
  const { status, isFault } = renderError(cause);
  if (isFault) service.report.fault(cause, request);
  const error = new TRPCError({ code: TRPC_CODES[status] ?? 'INTERNAL_SERVER_ERROR', cause });
  const shape = getTRPCErrorShape({
    config: appRouter._def._config,
    error,
    type: 'unknown',
    path: undefined,
    input: undefined,
    ctx: undefined,
  });
  return Response.json({ error: shape }, { status, headers: headersOf(error) });
}

function headersOf(error: TRPCError): Record<string, string> {
  const { Allow, ...headers } = renderError(error).headers;
  // tRPC says itself which method a procedure takes.
  return headers;
}
