import {
  type Answer,
  type Completing,
  folderErrors,
  requireEntry,
  requireWorkspace,
  UploadBatch,
} from '@postshelf/application';
import { type MediaWithCover, Refusal, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { admit, type Caller } from '../../admit.ts';
import { mediaTypeOf } from '../../body/json.ts';
import type { Exchange } from '../../exchange.ts';
import { recordDone } from '../audit/record.ts';
import { requireMayReturn } from '../duplicates/schema.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { FormFingerprint } from '../idempotency/fingerprint.ts';
import { answerKeyed, keyOf, requestLineOf, responseOf } from '../idempotency/repeatable.ts';
import { showMedia } from '../media/show.ts';
import { dropFiles, receiveForm } from './receive-form.ts';
import { uploadFields } from './schema.ts';

/** Stores the files in the request (docs/api.md, "Upload media"). */
export async function upload(exchange: Exchange, workspaceId: string): Promise<Response> {
  const { service } = exchange;
  const { request } = exchange.facts;
  const caller = await admit(exchange, 'media:write');
  const workspace = await requireWorkspace(service.ports, caller, workspaceId);
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
  if (key === null) return responseOf(answerOf(await storeForm(exchange, caller, workspace)));
  const fingerprint = new FormFingerprint(requestLineOf(request));
  const readRest = async (): Promise<void> => {
    await receiveForm(exchange, caller, workspace, dropFiles(), fingerprint);
  };
  const answer = await answerKeyed(exchange, caller, { key, fingerprint, readRest }, async (complete) => {
    const repeatable = { fingerprint, complete: (stored: readonly MediaWithCover[]) => complete(answerOf(stored)) };
    return answerOf(await storeForm(exchange, caller, workspace, repeatable));
  });
  return responseOf(answer);
}

interface Repeatable {
  readonly fingerprint: FormFingerprint;
  readonly complete: Completing<readonly MediaWithCover[]>;
}

async function storeForm(
  exchange: Exchange,
  caller: Caller,
  workspace: Workspace,
  repeatable?: Repeatable,
): Promise<readonly MediaWithCover[]> {
  const { service, facts } = exchange;
  const { ports } = service;
  const batch = new UploadBatch(ports, workspace, facts.signal);
  try {
    const form = await receiveForm(exchange, caller, workspace, batch, repeatable?.fingerprint);
    requireMayReturn(caller, workspace, [form.fields.on_duplicate]);
    batch.compare(form.hashes.values);
    const fields = v.safeParse(uploadFields, form.fields);
    const ofFields = fields.success ? {} : fieldErrorsOf(fields.issues);
    const ofFolder = await folderErrors(ports, workspace.id, 'folder_id', form.fields.folder_id);
    const errors = { ...form.errors, ...batch.errors, ...form.hashes.errors(batch.count), ...ofFolder, ...ofFields };
    if (!fields.success || Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
    const { label, folder_id, on_duplicate, created_at } = fields.output;
    const { actor: createdBy } = requireEntry(caller, workspace.id);
    const dates = { createdAt: created_at ?? undefined };
    const details = { createdBy, label, folderId: folder_id, onDuplicate: on_duplicate, ...dates };
    const stored = await batch.commit(details, repeatable?.complete);
    const subjects = stored.map(({ item }) => item.id);
    recordDone(exchange, createdBy, { action: 'media.upload', workspaceId: workspace.id, subjects });
    // The client doesn't need to wait until the staged bytes are discarded.
    batch.discard().catch((cause: unknown) => service.observer.fault(cause, facts));
    return stored;
  } catch (error) {
    await batch.discard();
    throw error;
  }
}
