import { Refusal } from '@postshelf/domain';
import type { TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { type Caller, identify } from '../../admit.ts';
import { readLimited, requireCheapBody } from '../../body/json.ts';
import type { RenderedError } from '../../errors.ts';
import { type Exchange, renderFailure } from '../../exchange.ts';
import { BatchBudget, MAX_BATCH_SIZE } from './batch-budget.ts';
import { causeOf, codeOf, renderTrpcError } from './errors.ts';
import { servedRouter } from './router.ts';

const JSON_LINES = 'application/jsonl';

const TOO_LONG = `A batch must not have more than ${MAX_BATCH_SIZE} calls.`;

/**
 * Serves `/trpc` with tRPC's own adapter, and with REST's limits on bodies. tRPC needs the body before any procedure
 * checks the caller, so the body is only read for a valid token or session.
 *
 * @throws Refusal `too_large`, `too_slow`, `malformed`, `busy`
 */
export async function serveTrpc(exchange: Exchange): Promise<Response> {
  const { reply } = exchange;
  const { request } = exchange.facts;
  const { headers, signal } = request;
  reply.isStreamed = isStream(headers);
  // tRPC's adapter doesn't treat HEAD like GET, so it is given GET instead.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const refused = await refuseWhole(exchange);
  if (refused) return showFailure(exchange, refused);
  const caller = method === 'GET' ? null : await findCaller(exchange);
  const body = caller ? await readLimited(exchange.body, { caller }) : undefined;
  if (body) await requireCheapBody(body);
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    router: servedRouter,
    req: new Request(request.url, { method, headers, signal, ...(body && body.length > 0 && { body }) }),
    createContext: () => ({
      exchange,
      budget: isBatch(request) ? new BatchBudget((bytes) => reply.hold(bytes)) : null,
    }),
    // A batch gets the headers of the first failure.
    responseMeta: ({ errors: [error] }) => ({ headers: error ? headersOf(renderTrpcError(error)) : {} }),
    onError({ error }) {
      renderFailure(exchange, causeOf(error));
    },
  });
  // tRPC answers a call that it can't read with JSON, but without a content type for JSON.
  if (!/json|event-stream/.test(response.headers.get('content-type') ?? ''))
    response.headers.set('Content-Type', 'application/json');
  return response;
}

/**
 * Returns a failure that concerns all calls, or null. It has to be found before tRPC starts any call, because a
 * streamed answer begins with its status.
 */
async function refuseWhole(exchange: Exchange): Promise<unknown> {
  const { url } = exchange.facts.request;
  // tRPC decodes the path before splitting it at commas.
  const calls = isBatch({ url }) ? new URL(url).pathname.split(/,|%2c/i).length : 1;
  if (calls > MAX_BATCH_SIZE) return new Refusal({ code: 'malformed', message: TOO_LONG });
  if (!exchange.reply.isStreamed) return null;
  return identify(exchange).then(
    () => null,
    (cause: unknown) => cause,
  );
}

/** Returns the caller; null if the request can't be authenticated. Each call checks the scopes that it needs. */
async function findCaller(exchange: Exchange): Promise<Caller | null> {
  try {
    const caller = await identify(exchange);
    exchange.record.known(caller.who.access);
    return caller;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

const isBatch = ({ url }: Pick<Request, 'url'>): boolean => new URL(url).searchParams.get('batch') === '1';

/** Whether the client wants a stream, by the two headers that tRPC reads. */
const isStream = (headers: Headers): boolean =>
  (headers.get('trpc-accept') ?? headers.get('accept') ?? '').split(',').some((type) => type.trim() === JSON_LINES);

/** Answers with a failure of the whole request, which tRPC's links pass to each of their calls. */
function showFailure(exchange: Exchange, cause: unknown): Response {
  const rendered = renderFailure(exchange, cause);
  const { status, body } = rendered;
  const code: TRPCError['code'] = codeOf(status);
  const data = { code, httpStatus: status, ...(body.errors && { errors: body.errors }) };
  const error = { message: body.message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
  return Response.json({ error }, { status, headers: headersOf(rendered) });
}

function headersOf({ headers }: RenderedError): Record<string, string> {
  const { Allow, ETag, ...rest } = headers;
  // `Allow` and `ETag` are omitted: tRPC itself reports a procedure's methods, and the error's data contains the
  // current version.
  return rest;
}
