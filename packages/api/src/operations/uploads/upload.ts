import { type Answer, type Completing, folderErrors, requireWorkspace, UploadBatch } from '@postshelf/application';
import { type AccessToken, type MediaWithCover, Refusal, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { mediaTypeOf } from '../../body/json.ts';
import { admit, type RequestContext } from '../../context.ts';
import { requireMayReturn } from '../duplicates/require-may-return.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { showMedia } from '../media/show.ts';
import { FormFingerprint } from '../repeats/fingerprint.ts';
import { answerKeyed, keyOf, requestLineOf, responseOf } from '../repeats/repeatable.ts';
import { dropFiles, receiveForm } from './receive-form.ts';
import { uploadFields } from './schema.ts';

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
  if (key === null) return responseOf(context, answerOf(await storeForm(context, token, workspace)));
  const fingerprint = new FormFingerprint(requestLineOf(request));
  const readRest = async (): Promise<void> => {
    await receiveForm(context, workspace, dropFiles(), fingerprint);
  };
  const answer = await answerKeyed(context, token, { key, fingerprint, readRest }, async (complete) => {
    const repeatable = { fingerprint, complete: (stored: readonly MediaWithCover[]) => complete(answerOf(stored)) };
    return answerOf(await storeForm(context, token, workspace, repeatable));
  });
  return responseOf(context, answer);
}

/** What a request has in addition if it has a key. */
interface Repeatable {
  readonly fingerprint: FormFingerprint;
  readonly complete: Completing<readonly MediaWithCover[]>;
}

async function storeForm(
  context: RequestContext,
  token: AccessToken,
  workspace: Workspace,
  repeatable?: Repeatable,
): Promise<readonly MediaWithCover[]> {
  const { ports } = context.service;
  const batch = new UploadBatch(ports, workspace, context.signal);
  try {
    const form = await receiveForm(context, workspace, batch, repeatable?.fingerprint);
    requireMayReturn(token, [form.fields.on_duplicate]);
    batch.compare(form.hashes.values);
    const fields = v.safeParse(uploadFields, form.fields);
    const ofFields = fields.success ? {} : fieldErrorsOf(fields.issues);
    const ofFolder = await folderErrors(ports, workspace.id, 'folder_id', form.fields.folder_id);
    const errors = { ...form.errors, ...batch.errors, ...form.hashes.errors(batch.count), ...ofFolder, ...ofFields };
    if (!fields.success || Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
    const { label, folder_id, on_duplicate } = fields.output;
    const details = { label, folderId: folder_id, onDuplicate: on_duplicate };
    const stored = await batch.commit(details, repeatable?.complete);
    // The client needn't wait until the staged names are removed; after a crash, garbage collection removes them.
    context.inBackground(batch.discard());
    return stored;
  } catch (error) {
    await batch.discard();
    throw error;
  }
}
