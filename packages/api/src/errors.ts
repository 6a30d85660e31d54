import { type FieldErrors, type Problem, Refusal, STORAGE_LOW, summarise } from '@postshelf/domain';

/**
 * An error in the form in which it is sent. Its body is exactly `{message}` or `{message, errors}` (docs/api.md,
 * "Errors").
 */
export interface RenderedError {
  readonly status: number;
  readonly body: { readonly message: string; readonly errors?: FieldErrors };
  readonly headers: Readonly<Record<string, string>>;
  /** The current version of a resource that has changed. */
  readonly version?: number;
  /** Whether the failure is internal and belongs in the log. */
  readonly isFault: boolean;
}

/**
 * Keeps caches from storing failures. Without a header, a cache may store a 404 for a time of its choice (RFC 9111
 * section 4.2.2), and the link of an item that waits for its file would stay dead after the file has arrived.
 */
const NOT_STORED = { 'Cache-Control': 'no-store' } as const;

/**
 * Turns failures into statuses, headers and bodies. No other code does this. All failures except refusals become 500.
 */
export function renderError(error: unknown): RenderedError {
  if (!(error instanceof Refusal))
    return { status: 500, body: { message: 'Server error.' }, headers: NOT_STORED, isFault: true };
  const { headers, ...rendered } = render(error.problem);
  return { ...rendered, headers: { ...NOT_STORED, ...headers }, isFault: error.problem.code === 'unavailable' };
}

export const CHANGED = 'Someone else changed this.';

type Rendered = Pick<RenderedError, 'status' | 'body' | 'version'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

function render(problem: Problem): Rendered {
  switch (problem.code) {
    case 'unauthenticated':
      return { status: 401, body: { message: 'Unauthenticated.' }, headers: { 'WWW-Authenticate': 'Bearer' } };
    case 'missing_scope':
      return { status: 403, body: { message: `The scope ${problem.scope} is missing.` } };
    case 'forbidden':
      return { status: 403, body: { message: problem.message } };
    case 'not_found':
      return { status: 404, body: { message: 'Not found.' } };
    case 'changed':
      // RFC 9110 section 15.5.13 defines status 412.
      return {
        status: 412,
        body: { message: CHANGED },
        headers: { ETag: `"${problem.version}"` },
        version: problem.version,
      };
    case 'invalid':
      return { status: 422, body: { message: summarise(problem.errors), errors: problem.errors } };
    case 'too_large':
      return { status: 413, body: { message: problem.message } };
    case 'malformed':
      return { status: 400, body: { message: problem.message } };
    case 'unsupported_media_type':
      return {
        status: 415,
        body: { message: `The Content-Type must be ${problem.accepted.join(' or ')}.` },
        headers: { Accept: problem.accepted.join(', ') },
      };
    case 'unsupported_encoding':
      // RFC 9110 section 15.5.16 defines status 415.
      return {
        status: 415,
        body: { message: 'Content-Encoding is not supported. Send the body uncompressed.' },
        headers: { 'Accept-Encoding': 'identity' },
      };
    case 'method_not_allowed':
      return { status: 405, body: { message: 'Method not allowed.' }, headers: { Allow: problem.allow.join(', ') } };
    case 'unsupported_version':
      // tus 1.0, "Tus-Resumable", defines status 412.
      return { status: 412, body: { message: problem.message }, headers: { 'Tus-Version': problem.supported } };
    case 'wrong_checksum':
      // tus 1.0, "Checksum", defines status 460.
      return { status: 460, body: { message: problem.message } };
    case 'range_not_satisfiable':
      // RFC 9110 section 15.5.17 defines status 416.
      return {
        status: 416,
        body: { message: 'The requested range is not satisfiable.' },
        headers: { 'Content-Range': `bytes */${problem.size}` },
      };
    case 'too_slow':
      return { status: 408, body: { message: problem.message }, headers: { Connection: 'close' } };
    case 'unavailable':
      return { status: 503, body: { message: problem.message }, headers: { 'Retry-After': '5' } };
    case 'locked':
      // RFC 4918 section 11.3 defines status 423.
      return { status: 423, body: { message: problem.message }, headers: { 'Retry-After': '1' } };
    case 'too_many_requests':
      // RFC 6585 section 4 defines status 429.
      return {
        status: 429,
        body: { message: problem.message },
        headers: { 'Retry-After': String(problem.retryAfter) },
      };
    case 'conflict':
      return {
        status: 409,
        body: { message: problem.message },
        headers: { 'Retry-After': String(problem.retryAfter) },
      };
    case 'busy':
      return {
        status: 503,
        body: { message: problem.message },
        headers: { 'Retry-After': String(problem.retryAfter) },
      };
    case 'storage_low':
      // RFC 4918 section 11.5 defines status 507.
      return { status: 507, body: { message: problem.message ?? STORAGE_LOW } };
  }
}
