import { type FieldErrors, type Problem, Refusal, summarise } from '@postshelf/domain';
import { StandardSchemaV1Error, TRPCError } from '@trpc/server';
import type { BaseIssue } from 'valibot';
import { fieldErrorsOf } from './operations/fields/field-errors.ts';

/** A failure as HTTP shows it: exactly `{message}` or `{message, errors}` (docs/api.md, "Errors"). */
export interface RenderedError {
  readonly status: number;
  readonly body: { readonly message: string; readonly errors?: FieldErrors };
  readonly headers: Readonly<Record<string, string>>;
  /** True when the failure is ours and belongs in the log. */
  readonly isFault: boolean;
}

/** The one place where failures become statuses, headers and bodies, for REST and tRPC alike. */
export function renderError(error: unknown): RenderedError {
  const problem = problemOf(error);
  if (!problem) return { status: 500, body: { message: 'Server error.' }, headers: {}, isFault: true };
  return { headers: {}, ...render(problem), isFault: problem.code === 'unavailable' };
}

type Rendered = Pick<RenderedError, 'status' | 'body'> & { readonly headers?: Readonly<Record<string, string>> };

function render(problem: Problem): Rendered {
  switch (problem.code) {
    case 'unauthenticated':
      return { status: 401, body: { message: 'Unauthenticated.' }, headers: { 'WWW-Authenticate': 'Bearer' } };
    case 'missing_scope':
      return { status: 403, body: { message: `The token lacks the scope ${problem.scope}.` } };
    case 'forbidden':
      return { status: 403, body: { message: problem.message } };
    case 'not_found':
      return { status: 404, body: { message: 'Not found.' } };
    case 'invalid':
      return { status: 422, body: { message: summarise(problem.errors), errors: problem.errors } };
    case 'too_large':
      return { status: 413, body: { message: problem.message } };
    case 'head_too_large':
      // RFC 6585 section 5.
      return { status: 431, body: { message: problem.message } };
    case 'malformed':
      return { status: 400, body: { message: problem.message } };
    case 'unsupported_media_type':
      return {
        status: 415,
        body: { message: `The Content-Type must be ${problem.accepted.join(' or ')}.` },
        headers: { Accept: problem.accepted.join(', ') },
      };
    case 'method_not_allowed':
      return { status: 405, body: { message: 'Method not allowed.' }, headers: { Allow: problem.allow.join(', ') } };
    case 'too_slow':
      return { status: 408, body: { message: problem.message }, headers: { Connection: 'close' } };
    case 'unavailable':
      return { status: 503, body: { message: problem.message }, headers: { 'Retry-After': '5' } };
    case 'too_many_requests':
      // RFC 6585 section 4.
      return {
        status: 429,
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
      // RFC 4918 section 11.5.
      return { status: 507, body: { message: 'The storage is low on space and takes no more files.' } };
  }
}

/** What a caller may know of an error; null when that is nothing. */
function problemOf(error: unknown): Problem | null {
  if (error instanceof Refusal) return error.problem;
  if (!(error instanceof TRPCError)) return null;
  if (error.cause instanceof Refusal) return error.cause.problem;
  if (error.cause instanceof StandardSchemaV1Error && error.code !== 'INTERNAL_SERVER_ERROR') {
    return { code: 'invalid', errors: fieldErrorsOf(error.cause.issues as readonly BaseIssue<unknown>[]) };
  }
  return TRPC_PROBLEMS[error.code] ?? null;
}

/** Failures that tRPC itself finds, before any procedure of ours runs. */
const TRPC_PROBLEMS: Partial<Record<TRPCError['code'], Problem>> = {
  PARSE_ERROR: { code: 'malformed', message: 'The request body is not valid JSON.' },
  BAD_REQUEST: { code: 'malformed', message: 'The request is not a valid tRPC call.' },
  NOT_FOUND: { code: 'not_found' },
  METHOD_NOT_SUPPORTED: { code: 'method_not_allowed', allow: ['GET', 'POST'] },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', accepted: ['application/json'] },
  PAYLOAD_TOO_LARGE: { code: 'too_large', message: 'The request is too large.' },
};

/** The tRPC code whose HTTP status is the rendered one; for 507, of which it has none, the nearest. */
export const TRPC_CODES: Readonly<Record<number, TRPCError['code']>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  408: 'TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  507: 'SERVICE_UNAVAILABLE',
};
