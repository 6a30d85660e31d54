import { type FieldErrors, PostshelfError, unreadable } from './error.ts';

/** An HTTP response, from fetch or XMLHttpRequest. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly requestId: string | null;
  /** The response's `Retry-After`, in seconds. */
  readonly retryAfter: number | null;
}

/** The response headers that errors include. */
export type AnswerFacts = Pick<Answer, 'requestId' | 'retryAfter'>;

/** Reads the headers that errors include. @param header returns a header's value; undefined or null if it is absent */
export function factsOf(header: (name: string) => string | null | undefined): AnswerFacts {
  // The service doesn't use the other form, a date (RFC 9110 section 10.2.3).
  const seconds = Number.parseInt(header('retry-after') ?? '', 10);
  return { requestId: header('x-request-id') ?? null, retryAfter: Number.isNaN(seconds) ? null : seconds };
}

/** Parses the response as JSON. @throws PostshelfError `refused`, `unreadable` */
export function readAnswer({ status, text, ...facts }: Answer): unknown {
  const body = parseJson(text);
  if (status < 200 || status > 299) throw refusal(status, body, facts);
  if (typeof body === 'object' && body !== null) return body;
  throw unreadable(status, facts.requestId);
}

/** Creates the error for an error response, whose body may also come from a proxy, in any format. */
export function refusal(status: number, body: unknown, facts: AnswerFacts): PostshelfError {
  const { message, errors } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const sentence = typeof message === 'string' ? message : `The request was answered with the status ${status}.`;
  return new PostshelfError('refused', sentence, { status, ...facts, errors: readErrors(errors) });
}

const readErrors = (errors: unknown): FieldErrors =>
  typeof errors === 'object' && errors !== null ? (errors as FieldErrors) : {};

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
