import { PostshelfError } from '@postshelf/client';

/** Whether the request was refused, so that a repeat would be refused, too. */
export const isRefused = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError &&
  (error.code === 'no_token' || (error.code === 'refused' && error.status < 500 && error.status !== 429));

/**
 * Options of queries that are repeated unless they were refused: after half a second, then twice as long each time, up to
 * five.
 *
 * @param most repeats
 */
export const retryingQueries = (most: number) => ({
  retry: (failures: number, error: Error) => !isRefused(error) && failures < most,
  retryDelay: (failures: number) => Math.min(500 * 2 ** failures, 5000),
  // Requests are made even if the browser reports that it is offline, as the service may be on the same machine.
  networkMode: 'always' as const,
});
