import { retryingQueries } from '@postshelf/browser/queries/retries.ts';
import { type FieldErrors, PostshelfError } from '@postshelf/client';

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

/** Maximum `Retry-After` in seconds; users aren't expected to wait longer. */
const LONGEST_RETRY_AFTER = 60;

const { retry, retryDelay } = retryingQueries(4);

/**
 * Sends lines of posts, and retries while the service is busy or unreachable. Sending the same lines again changes
 * nothing.
 *
 * @throws PostshelfError of the last attempt
 */
export async function sendLines(url: string, lines: readonly object[]): Promise<Report> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  for (let failures = 0; ; failures += 1) {
    try {
      return await send(url, body);
    } catch (error) {
      if (!(error instanceof PostshelfError) || !retry(failures, error)) throw error;
      const after = error.retryAfter ?? 0;
      if (after > LONGEST_RETRY_AFTER) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(after * 1000, retryDelay(failures))));
    }
  }
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
