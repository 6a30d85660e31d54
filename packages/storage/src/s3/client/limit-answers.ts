import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/**
 * Commands to which this limit doesn't apply. Reading an object may take any amount of time, and its reader detects a
 * store that stops sending. The others have a limit of their own, because a store may send the headers long before the
 * work is done.
 */
const OTHERWISE_LIMITED = new Set([
  'GetObjectCommand',
  'CopyObjectCommand',
  'UploadPartCopyCommand',
  'CompleteMultipartUploadCommand',
]);

/**
 * Limits the time in which the body of an answer arrives. The SDK's own timeouts end with the headers, so a store that
 * stops in the middle of a list would be awaited forever.
 *
 * @param time milliseconds after which the attempt fails with `TimeoutError`, so that the SDK repeats it
 */
export function limitAnswers(client: S3Client, time: number): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args);
        const body = bodyOf(result.response);
        if (body && !OTHERWISE_LIMITED.has(commandName)) limitBody(body, time);
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'postshelfLimitAnswers' },
  );
}

/** Destroys a body with `TimeoutError` if it hasn't arrived after this many milliseconds. */
export function limitBody(body: Readable, time: number): void {
  const stop = (): void => {
    body.destroy(new DOMException('The store stopped in the middle of an answer.', 'TimeoutError'));
  };
  const timer = setTimeout(stop, time);
  body.once('close', () => clearTimeout(timer));
}

function bodyOf(response: unknown): Readable | null {
  if (typeof response !== 'object' || response === null || !('body' in response)) return null;
  return response.body instanceof Readable ? response.body : null;
}
