import { PostshelfError } from '@postshelf/client';

/** Whether the service refused the request for a reason that also applies to a retry. */
export const isRefused = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError &&
  (error.code === 'no_token' || (error.code === 'refused' && error.status < 500 && error.status !== 429));

/**
 * Returns options for queries that are retried unless they were refused. The first pause is half a second, and each
 * further pause is twice as long, up to five seconds, or as long as the service asks (`Retry-After`).
 *
 * @param max maximum number of retries
 */
export const retryingQueries = (max: number) => ({
  retry: (failures: number, error: Error) => !isRefused(error) && failures < max,
  retryDelay: (failures: number, error?: Error) =>
    Math.max(Math.min(500 * 2 ** failures, 5000), error instanceof PostshelfError ? (error.retryAfter ?? 0) * 1000 : 0),
  // Requests are made even if the browser reports that it is offline, because the service may be on the same machine.
  networkMode: 'always' as const,
});
