import { MAX_MULTIPART_FILE_BYTES, MULTIPART_FILE_TOO_LARGE, Refusal, type StagedObject } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { readAhead } from './read-ahead.ts';

/**
 * Stages a file of a form. One that begins like none of the six types is read and dropped, so that the following parts
 * can be read.
 *
 * @throws Refusal `too_large` above 200 MB; whatever `body` throws
 */
export async function receiveFile(
  { inspector, storage }: Pick<Ports, 'inspector' | 'storage'>,
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<StagedObject | 'empty' | 'wrong_type'> {
  const { head, whole } = await readAhead(limited(body), inspector.headLength);
  if ((await inspector.recognise(head)) !== null)
    return storage.stage(whole, { limit: MAX_MULTIPART_FILE_BYTES, ...(signal && { signal }) });
  for await (const _ of whole);
  return head.length === 0 ? 'empty' : 'wrong_type';
}

export async function dropFile(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of limited(body));
}

/** 413 takes precedence over 422, so dropped files count, too. */
async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MULTIPART_FILE_BYTES) throw new Refusal({ code: 'too_large', message: MULTIPART_FILE_TOO_LARGE });
    yield chunk;
  }
}
