/** Error messages by the path of the invalid field, in dot notation (`files.0`). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Why a call failed:
 *
 * - `refused`: the service, or the storage to which a file is uploaded, answered with an error
 *   {@link PostshelfError.status};
 * - `unreachable`: there was no response; `cause` is the runtime's error;
 * - `unreadable`: the response isn't from the service, for example because `baseUrl` points to something else;
 * - `aborted`: the call's `signal` aborted it; `cause` is the signal's reason;
 * - `timeout`: `waitUntilReady` reached its time limit;
 * - `failed`: the item that `waitUntilReady` waited for is `failed`, and `message` says why;
 * - `no_token`: the `token` function threw; `cause` is what it threw;
 * - `unverified`: `verifyWebhook` got a request that the service didn't send, or sent too long ago.
 */
export type PostshelfErrorCode =
  | 'refused'
  | 'unreachable'
  | 'unreadable'
  | 'aborted'
  | 'timeout'
  | 'failed'
  | 'no_token'
  | 'unverified';

interface Details {
  readonly status?: number | undefined;
  readonly errors?: FieldErrors | undefined;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: number | null | undefined;
  readonly version?: number | undefined;
  readonly cause?: unknown;
}

/** The error with which every failed call rejects, whether the call uses REST, tRPC or the storage directly. */
export class PostshelfError extends Error {
  override readonly name = 'PostshelfError';
  readonly code: PostshelfErrorCode;
  /** The HTTP status of the response; 0 if there was none. */
  readonly status: number;
  /** Messages for each invalid field of a 422; `{}` for every other failure. */
  readonly errors: FieldErrors;
  /** The response's `X-Request-Id`, for the operator of the service; null if there is none. */
  readonly requestId: string | null;
  /** The response's `Retry-After`: seconds after which another attempt may succeed; null if there is none. */
  readonly retryAfter: number | null;

  /**
   * After a 412, the resource's current version. A 412 means that this version didn't match the call's `if_match`, so
   * nothing was changed. null for every other failure.
   */
  readonly version: number | null;

  constructor(code: PostshelfErrorCode, message: string, details: Details = {}) {
    super(message, details);
    this.code = code;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? {};
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.version = details.version ?? null;
  }
}

export const aborted = (signal: AbortSignal): PostshelfError =>
  new PostshelfError('aborted', 'The call was aborted.', { cause: signal.reason });

export const unreachable = (cause?: unknown): PostshelfError =>
  new PostshelfError('unreachable', 'The service could not be reached.', { cause });

export const unreadable = (status: number | undefined, requestId: string | null, cause?: unknown): PostshelfError =>
  new PostshelfError('unreadable', 'The response is not from the service. Is baseUrl the root of the service?', {
    status,
    requestId,
    cause,
  });
