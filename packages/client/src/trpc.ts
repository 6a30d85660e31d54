import {
  type CreateTRPCClientOptions,
  createTRPCClientProxy,
  type getFetch,
  httpBatchLink,
  httpLink,
  isTRPCClientError,
  splitLink,
  TRPCUntypedClient,
} from '@trpc/client';
import { factsOf, readAnswer, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { aborted, PostshelfError, unreachable, unreadable } from './error.ts';
import type { Operations, OperatorOperations } from './operations.ts';
import { keyOf, type RepeatOptions, repeating } from './retry.ts';
import type { PostshelfRouter } from './router.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface MutationOptions extends CallOptions, RepeatOptions {}

type Call<Input, Output, Options> = (input: Input, options?: Options) => Promise<Output>;

type Procedure<Operation> = Operation extends { readonly type: infer Type; input: infer Input; output: infer Output }
  ? Type extends 'query'
    ? { readonly query: Call<Input, Output, CallOptions> }
    : { readonly mutate: Call<Input, Output, MutationOptions> }
  : never;

type CallsOf<All> = {
  readonly [Resource in keyof All]: {
    readonly [Verb in keyof All[Resource]]: Procedure<All[Resource][Verb]>;
  };
};

/**
 * The service's operations: queries read, mutations change. A call that fails rejects with a {@link PostshelfError}.
 */
export type PostshelfTrpc = CallsOf<Operations>;

/** The operations for operator tokens. */
export type OperatorTrpc = CallsOf<OperatorOperations>;

/** Limits for a batch: the service limits the number of calls, and proxies limit the length of a URL. */
const BATCH = { maxItems: 50, maxURLLength: 2000 };

/**
 * Creates the tRPC client. Simultaneous queries share a request. Each mutation has its own request: in a shared one, an
 * import would delay the responses to all the others.
 */
export function createTrpc<Trpc = PostshelfTrpc>(connection: Connection): Trpc {
  const url = `${connection.root}/trpc`;
  const options = { url, fetch: fetchJson };
  const link = splitLink<PostshelfRouter>({
    condition: (call) => call.type === 'query' && fitsBatch(url, call),
    true: httpBatchLink({ ...options, ...BATCH, headers: () => connection.headers() }),
    false: httpLink({
      ...options,
      headers: ({ op }) => connection.headers(op.context[KEY] as string | null | undefined),
    }),
  });
  // The cast is safe: our types also allow `signal: undefined`, and operators' calls are sent the same way.
  return createTRPCClientProxy<PostshelfRouter>(new Calls({ links: [link] }, connection.repeats)) as Trpc;
}

/**
 * Whether a query fits into a batch by itself. tRPC fails one that doesn't, such as a search for a pasted caption in
 * Japanese, of which each character takes nine in the URL. Such a query has its own request.
 */
function fitsBatch(url: string, { path, input }: { readonly path: string; readonly input: unknown }): boolean {
  const encoded = encodeURIComponent(JSON.stringify({ 0: input }));
  return `${url}/${path}?batch=1&input=${encoded}`.length <= BATCH.maxURLLength;
}

/** The name of a mutation's idempotency key in tRPC's operation context. */
const KEY = 'idempotencyKey';

/** The tRPC client with retries and {@link PostshelfError}s. */
class Calls extends TRPCUntypedClient<PostshelfRouter> {
  constructor(
    options: CreateTRPCClientOptions<PostshelfRouter>,
    private readonly repeats: number,
  ) {
    super(options);
  }

  override query(path: string, input?: unknown, options: CallOptions = {}): Promise<unknown> {
    return settle(super.query(path, input, withoutUndefined(options)), options.signal);
  }

  override mutation(path: string, input?: unknown, options: MutationOptions = {}): Promise<unknown> {
    const key = keyOf(options);
    const { signal } = options;
    const once = () =>
      settle(super.mutation(path, input, { ...withoutUndefined(options), context: { [KEY]: key } }), signal);
    return key === null ? once() : repeating(once, this.repeats, signal);
  }
}

const withoutUndefined = ({ signal }: CallOptions): { signal?: AbortSignal } => (signal ? { signal } : {});

/** Rejects as soon as the signal aborts; tRPC would wait until all calls of a batch are aborted. */
async function settle<Output>(call: Promise<Output>, signal: AbortSignal | undefined): Promise<Output> {
  let onAbort: (() => void) | undefined;
  const abort = new Promise<never>((_, reject) => {
    if (signal) onAbort = () => reject(aborted(signal));
    if (signal?.aborted) onAbort?.();
    else if (onAbort) signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([call, abort]);
  } catch (error) {
    throw signal?.aborted ? aborted(signal) : translate(error);
  } finally {
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}

function translate(error: unknown): unknown {
  if (!isTRPCClientError<PostshelfRouter>(error)) return error;
  if (error.cause instanceof PostshelfError) return error.cause;
  const response = error.meta?.response as Response | undefined;
  const facts = factsOf((name) => response?.headers.get(name));
  if (error.data) {
    return new PostshelfError('refused', error.message, { ...error.data, status: error.data.httpStatus, ...facts });
  }
  // The error response isn't from the tRPC router, but from the server that contains it or from a proxy.
  if (response && !response.ok) return refusal(response.status, error.meta?.responseJSON, facts);
  return unreadable(response?.status, facts.requestId, error.cause);
}

/**
 * Checks that responses are JSON. With the platform's `fetch`, tRPC would report a proxy's error page only as invalid
 * JSON, and its status would be lost.
 */
async function fetchJson(...[url, init]: Parameters<ReturnType<typeof getFetch>>): Promise<Response> {
  const { response, text } = await wholeAnswer(url, init as RequestInit).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  const { status, headers } = response;
  if (/\bjson\b/.test(headers.get('content-type') ?? '')) return new Response(text, { status, headers });
  const facts = factsOf((name) => headers.get(name));
  readAnswer({ status, text, ...facts });
  throw unreadable(status, facts.requestId);
}

async function wholeAnswer(...request: Parameters<typeof fetch>) {
  const response = await fetch(...request);
  return { response, text: await response.text() };
}
