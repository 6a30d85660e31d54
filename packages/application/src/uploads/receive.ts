import { type Defect, MAX_MULTIPART_FILE_BYTES, MULTIPART_FILE_TOO_LARGE, Refusal } from '@postshelf/domain';
import { type InspectOptions, type InspectPorts, inspectStaged, type ReceivedFile } from './inspect.ts';
import { readAhead } from './read-ahead.ts';

interface ReceiveOptions extends InspectOptions {
  /** Most bytes. */
  readonly limit: number;
}

/**
 * Stages the bytes of a file and inspects them, as {@link inspectStaged}.
 *
 * @throws LimitExceeded; what `body` and the storage throw
 */
export async function receive(
  ports: InspectPorts,
  workspace: Parameters<typeof inspectStaged>[1],
  body: AsyncIterable<Uint8Array>,
  { limit, ...options }: ReceiveOptions,
): Promise<ReceivedFile | Defect> {
  const { signal } = options;
  const object = await ports.storage.stage(body, { limit, ...(signal && { signal }) });
  return inspectStaged(ports, workspace, object, options);
}

/**
 * A file of a form. One that begins like none of the six types is read and discarded, so that the following parts can
 * be read.
 *
 * @throws Refusal `too_large` above 200 MB; whatever `body` throws
 */
export async function receiveFile(
  ports: InspectPorts,
  workspace: Parameters<typeof inspectStaged>[1],
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<ReceivedFile | Defect | 'empty'> {
  const { head, whole } = await readAhead(limited(body), ports.inspector.headLength);
  const type = await ports.inspector.recognise(head);
  if (typeof type === 'string')
    return receive(ports, workspace, whole, { limit: MAX_MULTIPART_FILE_BYTES, ...(signal && { signal }) });
  for await (const _ of whole);
  return head.length === 0 ? 'empty' : (type ?? 'wrong_type');
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
