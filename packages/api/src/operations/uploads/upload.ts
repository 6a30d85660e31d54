import { folderErrors, requireWorkspace, UploadBatch } from '@postshelf/application';
import {
  type AccessToken,
  type FieldErrors,
  MAX_FILES_PER_REQUEST,
  type MediaWithCover,
  Refusal,
  type Workspace,
} from '@postshelf/domain';
import * as v from 'valibot';
import { AdmissionWatch } from '../../body/admission-watch.ts';
import { mediaTypeOf } from '../../body/json.ts';
import { readMultipart } from '../../body/multipart.ts';
import { admit, type RequestContext } from '../../context.ts';
import { DeclaredHashes, requireMayReturn } from '../duplicates/schema.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { showMedia } from '../media/show.ts';
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
  const stored = await storeFiles(context, token, workspace);
  const message = stored.length === 1 ? 'The file was stored.' : 'The files were stored.';
  return Response.json({ data: stored.map((media) => showMedia(service, media)), message }, { status: 201 });
}

async function storeFiles(
  context: RequestContext,
  token: AccessToken,
  workspace: Workspace,
): Promise<readonly MediaWithCover[]> {
  const { ports } = context.service;
  const giveBack = await context.takeUploadSlot(workspace.id);
  const admission = new AdmissionWatch(context, 'media:write');
  const batch = new UploadBatch(ports, workspace);
  try {
    // Covers take their own time, in slots of their own.
    const form = await takeParts(context, batch, admission.signal).finally(() => {
      admission.stop();
      giveBack();
    });
    await admission.look();
    requireMayReturn(token, [form.fields.on_duplicate]);
    batch.compare(form.hashes.values);
    const fields = v.safeParse(uploadFields, form.fields);
    const ofFields = fields.success ? {} : fieldErrorsOf(fields.issues);
    const ofFolder = await folderErrors(ports, workspace.id, 'folder_id', form.fields.folder_id);
    const errors = { ...form.errors, ...batch.errors, ...form.hashes.errors(batch.count), ...ofFolder, ...ofFields };
    if (!fields.success || Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
    const { label, folder_id, on_duplicate } = fields.output;
    const details = { label, folderId: folder_id, onDuplicate: on_duplicate };
    return await batch.commit(details, context.request.signal);
  } finally {
    await batch.discard();
  }
}

/** Hands the files to the batch as they come and collects the fields, wherever they stand in the body. */
async function takeParts(
  context: RequestContext,
  batch: UploadBatch,
  refused: AbortSignal,
): Promise<{ fields: Record<string, string | null>; hashes: DeclaredHashes; errors: FieldErrors }> {
  const fields = new Map<string, string | null>();
  const hashes = new DeclaredHashes();
  const errors = new Map<string, readonly string[]>();
  for await (const part of readMultipart(context, { refused })) {
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
    } else if (DeclaredHashes.FIELDS.includes(part.name)) {
      hashes.add(part.value);
    } else {
      // A form can't say null: an empty field is none.
      fields.set(part.name, part.value === '' ? null : part.value);
    }
  }
  if (batch.isEmpty && !errors.has('files')) errors.set('files', ['The files field is required.']);
  return { fields: Object.fromEntries(fields), hashes, errors: Object.fromEntries(errors) };
}
