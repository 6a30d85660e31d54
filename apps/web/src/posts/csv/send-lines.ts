import { type FieldErrors, PostshelfError } from '@postshelf/client';
import { repeating } from '@postshelf/client/retry';

export interface Report {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejections: readonly { readonly line: number; readonly message: string }[];
}

interface Body {
  readonly data?: Report;
  readonly message?: string;
  readonly errors?: FieldErrors;
}

/** Maximum number of retries, which together bridge about ten seconds, such as a restart of the service. */
const REPEATS = 6;

/**
 * Sends lines of posts, and retries while the service is busy or unreachable. Sending the same lines again changes
 * nothing.
 *
 * @throws PostshelfError of the last attempt
 */
export function sendLines(url: string, lines: readonly object[]): Promise<Report> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return repeating(() => send(url, body), REPEATS, undefined);
}

async function send(url: string, body: string): Promise<Report> {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
  const { data, message, errors } = ((await answer?.json().catch(() => null)) ?? {}) as Body;
  if (answer?.ok && data) return data;
  const retryAfter = Number(answer?.headers.get('retry-after')) || null;
  const details = { status: answer?.status, retryAfter, ...(errors && { errors }) };
  // This is a proxy's own response, not the service's.
  if (typeof message !== 'string')
    throw new PostshelfError('unreachable', 'The service could not be reached.', details);
  throw new PostshelfError('refused', message, details);
}
