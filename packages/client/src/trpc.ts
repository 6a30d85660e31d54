import {
  createTRPCClientProxy,
  type getFetch,
  httpBatchLink,
  httpLink,
  isTRPCClientError,
  splitLink,
  TRPCUntypedClient,
} from '@trpc/client';
import { readAnswer, readErrors, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { aborted, PostshelfError, unreachable, unreadable } from './error.ts';
import type { Operations } from './operations.ts';
import type { PostshelfRouter } from './router.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

type Call<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>;

type Procedure<Operation> = Operation extends { readonly type: infer Type; input: infer Input; output: infer Output }
  ? Type extends 'query'
    ? { readonly query: Call<Input, Output> }
    : { readonly mutate: Call<Input, Output> }
  : never;

/** Every operation, by resource and verb: queries read, mutations change. Failures are {@link PostshelfError}s. */
export type PostshelfTrpc = {
  readonly [Resource in keyof Operations]: {
    readonly [Verb in keyof Operations[Resource]]: Procedure<Operations[Resource][Verb]>;
  };
};

/** Calls in a batch, and characters of its URL: what the service takes, and what proxies on the way do. */
const BATCH = { maxItems: 50, maxURLLength: 2000 };

/**
 * Queries that are made at the same time share a request. Mutations don't: an import may take a minute, and what stands beside it
 * in a batch would wait as long.
 */
export function createTrpc(connection: Connection): PostshelfTrpc {
  const options = { url: `${connection.root}/trpc`, headers: () => connection.headers(), fetch: fetchJson };
  const link = splitLink<PostshelfRouter>({
    condition: ({ type }) => type === 'query',
    true: httpBatchLink({ ...options, ...BATCH }),
    false: httpLink(options),
  });
  // The same calls, whose options may say `signal: undefined` as well.
  return createTRPCClientProxy<PostshelfRouter>(new Calls({ links: [link] })) as PostshelfTrpc;
}

/** tRPC's own client, but for what its calls throw. */
class Calls extends TRPCUntypedClient<PostshelfRouter> {
  override query(path: string, input?: unknown, options: CallOptions = {}): Promise<unknown> {
    return settle(super.query(path, input, withoutUndefined(options)), options.signal);
  }

  override mutation(path: string, input?: unknown, options: CallOptions = {}): Promise<unknown> {
    return settle(super.mutation(path, input, withoutUndefined(options)), options.signal);
  }
}

const withoutUndefined = ({ signal }: CallOptions): { signal?: AbortSignal } => (signal ? { signal } : {});

/** An aborted call ends at once; tRPC ends it with the last of its batch. */
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

/** What tRPC's client throws, as our error. */
function translate(error: unknown): unknown {
  if (!isTRPCClientError<PostshelfRouter>(error)) return error;
  if (error.cause instanceof PostshelfError) return error.cause;
  const response = error.meta?.response as Response | undefined;
  const requestId = response?.headers.get('x-request-id') ?? null;
  if (error.data) {
    const { httpStatus, errors } = error.data;
    return new PostshelfError('refused', error.message, { status: httpStatus, errors: readErrors(errors), requestId });
  }
  // JSON, but not the router's: of the server around it, or of what stands in front of that.
  if (response && !response.ok) return refusal(response.status, error.meta?.responseJSON, requestId);
  return unreadable(response?.status, requestId, error.cause);
}

/** `fetch` for tRPC, which would take a proxy's error page for broken JSON and forget its status. */
async function fetchJson(...[url, init]: Parameters<ReturnType<typeof getFetch>>): Promise<Response> {
  const response = await fetch(url, init as RequestInit).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) return response;
  const requestId = response.headers.get('x-request-id');
  readAnswer({ status: response.status, text: await response.text(), requestId });
  throw unreadable(response.status, requestId);
}
