import { discardBody, type UploadBatch } from '@postshelf/application';
import { type FieldErrors, MAX_FILES_PER_REQUEST, type Workspace } from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import { readMultipart } from '../../body/multipart.ts';
import type { Part } from '../../body/part-head.ts';
import type { Exchange } from '../../exchange.ts';
import { DeclaredHashes } from '../duplicates/schema.ts';
import type { FormFingerprint } from '../idempotency/fingerprint.ts';
import { isAbsent, uploadFields } from './schema.ts';

const FILES = 'files[]';

/**
 * Matches the other names that clients give the field `files[]`. PHP can't send a name twice, so it numbers the files:
 * `files[0]`, `files[1]`.
 */
const FILES_AS_WELL = /^files(?:\[\d{0,9}\])?$/;

const TOO_MANY_FILES = `The files field must not have more than ${MAX_FILES_PER_REQUEST} items.`;

export type FileSink = Pick<UploadBatch, 'count' | 'isEmpty' | 'add' | 'skip'>;

/** Returns a sink that reads files within the limits of a batch, and discards them. */
export function dropFiles(): FileSink {
  let count = 0;
  const skip = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    count += 1;
    await discardBody(body);
  };
  return {
    get count() {
      return count;
    },
    isEmpty: false,
    add: (_, body) => skip(body),
    skip,
  };
}

/** The known fields of a form, and the errors found while it was read. */
export interface Form {
  readonly fields: Record<string, string | null>;
  readonly hashes: DeclaredHashes;
  readonly errors: FieldErrors;
}

/**
 * Receives a form in an upload slot of the workspace.
 *
 * @param fingerprint the fingerprint of a request that has a key
 * @throws Refusal `busy`; `unauthenticated` or another code if the caller loses access; whatever reading the body
 *   throws
 */
export async function receiveForm(
  { service, facts, body }: Pick<Exchange, 'service' | 'facts' | 'body'>,
  caller: Caller,
  workspace: Workspace,
  files: FileSink,
  fingerprint?: FormFingerprint,
): Promise<Form> {
  // The slot is only for receiving. Covers are made later, in slots of a different kind.
  const releaseSlot = await service.ports.shares.take('uploads', workspace.id, facts.signal);
  const parts = withOneName(readMultipart(body, { caller }));
  const form = await takeParts(fingerprint ? fingerprint.watch(parts) : parts, files).finally(releaseSlot);
  await caller.requireStillAdmitted();
  return form;
}

/** Yields the parts, and replaces every other name of the file field with `files[]`. */
async function* withOneName(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) yield FILES_AS_WELL.test(part.name) ? { ...part, name: FILES } : part;
}

/**
 * Returns the part; null if it has no file name and no bytes. Browsers send such a part for a file input without a
 * selected file.
 */
async function selected(part: Part & { readonly kind: 'file' }): Promise<Part | null> {
  const body = part.body[Symbol.asyncIterator]();
  const first = await body.next();
  if (first.done) return null;
  async function* whole(): AsyncGenerator<Uint8Array> {
    for (let next = first; !next.done; next = await body.next()) yield next.value;
  }
  return { ...part, body: whole() };
}

/** Passes on the files as they arrive, and collects the known fields, wherever they are in the body. */
async function takeParts(parts: AsyncIterable<Part>, files: FileSink): Promise<Form> {
  const fields = new Map<string, string | null>();
  const hashes = new DeclaredHashes();
  const errors = new Map<string, readonly string[]>();
  for await (const given of parts) {
    const part = given.kind === 'file' && given.fileName === '' ? await selected(given) : given;
    if (part === null) continue;
    if (part.kind === 'file' && files.count === MAX_FILES_PER_REQUEST) {
      // The rest isn't read, so that a request can't make the service process more than ten files.
      errors.set('files', [TOO_MANY_FILES]);
      break;
    }
    if (part.kind === 'file' && part.name === FILES) {
      await files.add(part.fileName, part.body);
    } else if (part.kind === 'file') {
      // Without this error, a file in an unknown field would be lost silently.
      errors.set(part.name, [`The ${part.name} field must not be a file; files go into files[].`]);
      await files.skip(part.body);
    } else if (part.name === FILES) {
      errors.set('files', ['The files field must hold files.']);
    } else if (DeclaredHashes.isField(part.name)) {
      hashes.add(part.value);
    } else if (Object.hasOwn(uploadFields.entries, part.name)) {
      fields.set(part.name, isAbsent(part.name, part.value) ? null : part.value);
    }
  }
  if (files.isEmpty && !errors.has('files')) errors.set('files', ['The files field is required.']);
  return { fields: Object.fromEntries(fields), hashes, errors: Object.fromEntries(errors) };
}
