import { type FieldErrors, PostshelfError, unreadable } from './error.ts';

/** An HTTP answer, however it came. */
export interface Answer {
  readonly status: number;
  /** The body. */
  readonly text: string;
  readonly requestId: string | null;
}

/** The JSON body of a success. @throws PostshelfError `refused`, `unreadable` */
export function readAnswer({ status, text, requestId }: Answer): unknown {
  const body = parseJson(text);
  if (status < 200 || status > 299) throw refusal(status, body, requestId);
  if (typeof body === 'object' && body !== null) return body;
  throw unreadable(status, requestId);
}

/** An error answer. What stands between us and the service may answer as well, in a shape of its own. */
export function refusal(status: number, body: unknown, requestId: string | null): PostshelfError {
  const { message, errors } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const sentence = typeof message === 'string' ? message : `The request was answered with the status ${status}.`;
  return new PostshelfError('refused', sentence, { status, requestId, errors: readErrors(errors) });
}

export const readErrors = (errors: unknown): FieldErrors =>
  typeof errors === 'object' && errors !== null ? (errors as FieldErrors) : {};

/** undefined for what isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
