import {
  type AnnouncedType,
  convertibleType,
  type Defect,
  isConvertedType,
  MAX_MULTIPART_FILE_BYTES,
  type MediaFacts,
  MULTIPART_FILE_TOO_LARGE,
  Refusal,
  type StagedObject,
  type StageOptions,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** A file that was received into staging. */
export interface ArrivedFile {
  readonly object: StagedObject;
  /** The properties found while the file was received; null if it is only inspected afterwards. */
  readonly facts: MediaFacts | null;
}

/**
 * The first stage: receives the bytes of a file into staging, hashes them on the way, and inspects them if their type
 * was recognised. Files that clients send straight to the storage are taken from there instead
 * (presign/settle-upload.ts).
 *
 * @throws LimitExceeded; whatever `body` and the storage throw
 */
export async function receive(
  { inspector, storage }: Pick<Ports, 'inspector' | 'storage'>,
  body: AsyncIterable<Uint8Array>,
  { type, ...options }: StageOptions & { readonly type?: AnnouncedType },
): Promise<ArrivedFile> {
  const stage = (bytes: AsyncIterable<Uint8Array>): Promise<StagedObject> => storage.stage(bytes, options);
  if (type === undefined || isConvertedType(type)) return { object: await stage(body), facts: null };
  const { result, facts } = await inspector.inspectWhile(type, body, stage);
  return { object: result, facts };
}

/**
 * A body and the type that its first bytes indicate. `whole` yields the entire body, including those bytes, and must be
 * read to its end or closed with `return`.
 */
export interface RecognisedBody {
  readonly type: AnnouncedType | Exclude<Defect, string> | 'wrong_type' | 'empty';
  readonly whole: AsyncIterableIterator<Uint8Array>;
}

export const isTaken = (type: RecognisedBody['type']): type is AnnouncedType =>
  typeof type === 'string' && type !== 'wrong_type' && type !== 'empty';

/** Recognises a body by its first bytes. @throws whatever `body` throws */
export async function recognise(
  { inspector, converter }: Pick<Ports, 'inspector' | 'converter'>,
  body: AsyncIterable<Uint8Array>,
): Promise<RecognisedBody> {
  const { head, whole } = await readAhead(body, inspector.headLength);
  if (head.length === 0) return { type: 'empty', whole };
  const type = await inspector.recognise(head);
  return { type: (converter && convertibleType(type)) ?? type ?? 'wrong_type', whole };
}

/** Reads and discards a file of a form, so that the following parts can be read. @throws as {@link limited} */
export async function discardBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of limited(body));
}

/**
 * Limits the size of a file in a form. The status 413 takes precedence over 422, so the limit also applies to files
 * that are discarded.
 *
 * @throws Refusal `too_large` above 200 MB
 */
export async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MULTIPART_FILE_BYTES) throw new Refusal({ code: 'too_large', message: MULTIPART_FILE_TOO_LARGE });
    yield chunk;
  }
}

/**
 * Reads the first `length` bytes of a body ahead. `whole` yields the entire body, including those bytes, and must be
 * read to its end or closed with `return`.
 */
export async function readAhead(
  body: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterableIterator<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const next = await source.next();
    if (next.done) break;
    size += next.value.length;
    held.push(size < length ? copyOf(next.value) : next.value);
  }
  return { head: concat(held, Math.min(size, length)), whole: resume(held, source) };
}

/** Copies a chunk, which is valid only until the next one is requested; a Buffer's `slice` would be a view of it. */
const copyOf = (chunk: Uint8Array): Uint8Array => new Uint8Array(chunk);

/**
 * Yields the held chunks and then the rest of the source. It isn't a generator, because `return` on a generator that
 * wasn't started would not close the source.
 */
const resume = (held: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> => ({
  async next() {
    const value = held.shift();
    return value ? { done: false, value } : source.next();
  },
  async return() {
    held.length = 0;
    await source.return?.();
    return { done: true, value: undefined };
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - at);
    all.set(part, at);
    at += part.length;
  }
  return all;
}
