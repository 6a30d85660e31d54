import { type Answer, type Completing, folderErrors, requireWorkspace, UploadBatch } from '@postshelf/application';
import {
  type FieldErrors,
  MAX_FILES_PER_REQUEST,
  type MediaWithCover,
  Refusal,
  type Workspace,
} from '@postshelf/domain';
import * as v from 'valibot';
import { AdmissionWatch } from '../../body/admission-watch.ts';
import { mediaTypeOf } from '../../body/json.ts';
import { type Part, readMultipart } from '../../body/multipart.ts';
import { admit, type RequestContext } from '../../context.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { showMedia } from '../media/show.ts';
import { FormFingerprint } from '../repeats/fingerprint.ts';
import { answerKeyed, keyOf, responseOf, targetOf } from '../repeats/repeatable.ts';
import { uploadFields } from './schema.ts';

const FILE_FIELDS: readonly string[] = ['files[]', 'files'];
const TOO_MANY_FILES = `The files field must not have more than ${MAX_FILES_PER_REQUEST} items.`;

/** `POST /workspaces/{workspace}/media_contents` with files in the request (docs/api.md, "Upload media"). */
export async function upload(context: RequestContext, workspaceId: string): Promise<Response> {
  const { service, request } = context;
  const token = await admit(context, 'media:write');
  const workspace = await requireWorkspace(service.ports, token, workspaceId);
  if (mediaTypeOf(request) !== 'multipart/form-data') {
    throw new Refusal({ code: 'unsupported_media_type', accepted: ['multipart/form-data', 'application/json'] });
  }
  const answerOf = (stored: readonly MediaWithCover[]): Answer => ({
    status: 201,
    body: JSON.stringify({
      data: stored.map((media) => showMedia(service, media)),
      message: stored.length === 1 ? 'The file was stored.' : 'The files were stored.',
    }),
  });
  const key = keyOf(request);
  if (key === null) return responseOf(context, answerOf(await storeFiles(context, workspace)));
  const fingerprint = new FormFingerprint(targetOf(request));
  const readRest = async (): Promise<void> => {
    await receive(context, workspace, dropping(new UploadBatch(service.ports, workspace)), fingerprint);
  };
  const answer = await answerKeyed(context, token, { key, fingerprint, readRest }, async (complete) =>
    answerOf(await storeFiles(context, workspace, { fingerprint, complete: (stored) => complete(answerOf(stored)) })),
  );
  return responseOf(context, answer);
}

/** Of a request with a key. */
interface Repeatable {
  readonly fingerprint: FormFingerprint;
  readonly complete: Completing<readonly MediaWithCover[]>;
}

async function storeFiles(
  context: RequestContext,
  workspace: Workspace,
  repeatable?: Repeatable,
): Promise<readonly MediaWithCover[]> {
  const { ports } = context.service;
  const batch = new UploadBatch(ports, workspace);
  try {
    const form = await receive(context, workspace, batch, repeatable?.fingerprint);
    const fields = v.safeParse(uploadFields, form.fields);
    const ofFields = fields.success ? {} : fieldErrorsOf(fields.issues);
    const ofFolder = await folderErrors(ports, workspace.id, 'folder_id', form.fields.folder_id);
    const errors = { ...form.errors, ...batch.errors, ...ofFolder, ...ofFields };
    if (!fields.success || Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
    const details = { label: fields.output.label, folderId: fields.output.folder_id };
    return await batch.commit(details, context.request.signal, repeatable?.complete);
  } finally {
    await batch.discard();
  }
}

/** What takes the files of a form, one after the other. */
type FileSink = Pick<UploadBatch, 'count' | 'isEmpty' | 'add' | 'skip'>;

/** Reads the files within a batch's limits and keeps none. */
const dropping = (batch: UploadBatch): FileSink => ({
  get count() {
    return batch.count;
  },
  isEmpty: false,
  add: (_, body) => batch.skip(body),
  skip: (body) => batch.skip(body),
});

interface Form {
  readonly fields: Record<string, string | null>;
  readonly errors: FieldErrors;
}

/** Reads the form, in a slot of its workspace. Covers take their own time, in slots of their own. */
async function receive(
  context: RequestContext,
  workspace: Workspace,
  files: FileSink,
  fingerprint?: FormFingerprint,
): Promise<Form> {
  const giveBack = await context.takeUploadSlot(workspace.id);
  const admission = new AdmissionWatch(context, 'media:write');
  try {
    const parts = readMultipart(context, { refused: admission.signal });
    const form = await takeParts(fingerprint ? fingerprint.watch(parts) : parts, files);
    admission.stop();
    await admission.look();
    return form;
  } finally {
    admission.stop();
    giveBack();
  }
}

/** Hands the files to the batch as they come and collects the fields, wherever they stand in the body. */
async function takeParts(parts: AsyncIterable<Part>, batch: FileSink): Promise<Form> {
  const fields = new Map<string, string | null>();
  const errors = new Map<string, readonly string[]>();
  for await (const part of parts) {
    if (part.kind === 'file' && batch.count === MAX_FILES_PER_REQUEST) {
      // The rest isn't read: ten files, of whatever field, are the most that a request may cost us.
      errors.set('files', [TOO_MANY_FILES]);
      break;
    }
    if (part.kind === 'file' && FILE_FIELDS.includes(part.name)) {
      await batch.add(part.fileName, part.body);
    } else if (part.kind === 'file') {
      // Passing over a file that nobody asked for would lose it silently.
      errors.set(part.name, [`The ${part.name} field must not be a file; files go into files[].`]);
      await batch.skip(part.body);
    } else if (FILE_FIELDS.includes(part.name)) {
      errors.set('files', ['The files field must hold files.']);
    } else {
      // A form can't say null: an empty field is none.
      fields.set(part.name, part.value === '' ? null : part.value);
    }
  }
  if (batch.isEmpty && !errors.has('files')) errors.set('files', ['The files field is required.']);
  return { fields: Object.fromEntries(fields), errors: Object.fromEntries(errors) };
}
