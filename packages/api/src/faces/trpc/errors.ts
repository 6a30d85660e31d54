import { type Problem, Refusal } from '@postshelf/domain';
import type { TRPCError } from '@trpc/server';
import { type RenderedError, renderError } from '../../errors.ts';

/** Failures that tRPC itself detects, before any operation runs. */
const PROBLEMS: Partial<Record<TRPCError['code'], Problem>> = {
  PARSE_ERROR: { code: 'malformed', message: 'The request body is not valid JSON.' },
  BAD_REQUEST: { code: 'malformed', message: 'The request is not a valid tRPC call.' },
  NOT_FOUND: { code: 'not_found' },
  METHOD_NOT_SUPPORTED: { code: 'method_not_allowed', allow: ['GET', 'POST'] },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', accepted: ['application/json'] },
  PAYLOAD_TOO_LARGE: { code: 'too_large', message: 'The request is too large.' },
};

/** tRPC's codes by HTTP status. tRPC has no code for 507, so 507 gets the most similar code. */
const CODES: Readonly<Record<number, TRPCError['code']>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  412: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  507: 'SERVICE_UNAVAILABLE',
};

/** Returns the refusal or the fault that caused the error, or a refusal for what tRPC itself detected. */
export function causeOf(error: TRPCError): unknown {
  const { code, cause } = error;
  const problem = cause instanceof Refusal ? undefined : PROBLEMS[code];
  return problem ? new Refusal(problem) : (cause ?? error);
}

export const renderTrpcError = (error: TRPCError): RenderedError => renderError(causeOf(error));

export const codeOf = (status: number): TRPCError['code'] => CODES[status] ?? 'INTERNAL_SERVER_ERROR';
