/** Each failing field, dotted (`files.0`), with its sentences. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Why a call failed:
 *
 * - `refused`: the service, or the storage that it sends uploads to, answered with an error {@link PostshelfError.status};
 * - `unreachable`: no answer came; `cause` is what the runtime said of it;
 * - `unreadable`: an answer came that isn't the service's, as when `baseUrl` is the address of something else;
 * - `aborted`: by the call's `signal`; `cause` is the signal's reason;
 * - `timeout`: `waitUntilReady` waited long enough;
 * - `failed`: the item that was waited for is `failed`, and `message` says why;
 * - `no_token`: the `token` function threw; `cause` is what it threw.
 */
export type PostshelfErrorCode =
  | 'refused'
  | 'unreachable'
  | 'unreadable'
  | 'aborted'
  | 'timeout'
  | 'failed'
  | 'no_token';

interface Details {
  readonly status?: number | undefined;
  readonly errors?: FieldErrors | undefined;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: number | null | undefined;
  readonly cause?: unknown;
}

/** The one error of every call, whether it goes over REST, tRPC or straight to the storage. */
export class PostshelfError extends Error {
  override readonly name = 'PostshelfError';
  readonly code: PostshelfErrorCode;
  /** The answer's HTTP status; 0 where there was no answer, or none that was an error. */
  readonly status: number;
  /** Messages for each field of a 422; `{}` for every other failure. */
  readonly errors: FieldErrors;
  /** The answer's `X-Request-Id`, for the operator of the service; null if there is none. */
  readonly requestId: string | null;
  /** The answer's `Retry-After`: after how many seconds another try may do better; null where there is none. */
  readonly retryAfter: number | null;

  constructor(code: PostshelfErrorCode, message: string, details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? {};
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

export const aborted = (signal: AbortSignal): PostshelfError =>
  new PostshelfError('aborted', 'The call was aborted.', { cause: signal.reason });

export const unreachable = (cause?: unknown): PostshelfError =>
  new PostshelfError('unreachable', 'The service could not be reached.', { cause });

export const unreadable = (status: number | undefined, requestId: string | null, cause?: unknown): PostshelfError =>
  new PostshelfError('unreadable', "The answer is not the service's. Is baseUrl its root?", {
    status,
    requestId,
    cause,
  });
