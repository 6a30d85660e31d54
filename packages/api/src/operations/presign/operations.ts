import {
  confirmUpload,
  folderErrorsOfFiles,
  type IssuedUpload,
  issueUploads,
  requireEntry,
} from '@postshelf/application';
import { MAX_FILES_PER_REQUEST } from '@postshelf/domain';
import * as v from 'valibot';
import { readTerms, requireMayReturn } from '../duplicates/schema.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { promisedMedia } from '../media/operations.ts';
import { mediaContent } from '../media/schema.ts';
import { showMedia, showUpload } from '../media/show.ts';
import { inWorkspace, operation } from '../operation.ts';
import { presignedUpload, presignRequest } from './schema.ts';

const tag = 'Media';
const STORAGE_LOW = 'The storage is low on space and accepts no files for now.';

export const presign = {
  presign: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/media_contents/presign',
    summary: 'Issue presigned upload URLs',
    description:
      'Use presigned URLs for files that should not pass through the service. `label` and `folder_id` of a file become those of its item. `PUT` each file to its `upload_url` with the `upload_headers` and its `Content-Length`, then confirm the item.',
    tag,
    tool: 'media_presign',
    scope: 'media:write',
    status: 201,
    extension: false,
    signs: true,
    statuses: { 507: STORAGE_LOW },
    within: inWorkspace,
    input: presignRequest,
    output: dataOf(v.array(presignedUpload), 'PresignedUploads'),
    checkAlso: ({ service, caller, within: workspace }, { files }) => {
      // A list that is too long is refused anyway, so its files aren't checked.
      const given = Array.isArray(files) && files.length <= MAX_FILES_PER_REQUEST ? files.map(Object) : [];
      requireMayReturn(
        caller,
        workspace,
        given.map(({ on_duplicate }) => on_duplicate),
      );
      return folderErrorsOfFiles(
        service.ports,
        workspace.id,
        given.map(({ folder_id }) => folder_id),
      );
    },
    async run({ service, caller, within: workspace, input, completes }) {
      requireMayReturn(
        caller,
        workspace,
        input.files.map(({ on_duplicate }) => on_duplicate),
      );
      const answer = (issued: readonly IssuedUpload[]) => ({
        data: issued.map((upload) => showUpload(service, upload)),
      });
      const { actor: createdBy } = requireEntry(caller, workspace.id);
      const files = input.files.map(({ name, size, mime, label, folder_id, ...fields }) => {
        return { name, size, type: mime, label, folderId: folder_id, terms: readTerms(fields), createdBy };
      });
      return answer(await issueUploads(service.ports, workspace, files, completes(answer)));
    },
  }),

  confirm: operation({
    method: 'POST',
    path: '/media_contents/{id}/confirm',
    summary: 'Confirm a presigned upload',
    description: 'Checks the exact size of the uploaded file, and the type of its bytes. A repeat changes nothing.',
    tag,
    tool: 'media_confirm',
    scope: 'media:write',
    status: 200,
    extension: true,
    statuses: {
      507: STORAGE_LOW,
      422: 'On `file`: if nothing was uploaded, the item stays `temporary`; if the size or type of the file is not the announced one, the item becomes `failed`.',
    },
    examples: { 422: { file: ['No file has been uploaded yet.'] } },
    within: promisedMedia,
    output: dataAndMessageOf(mediaContent, 'ConfirmedMedia'),
    async run({ service, facts, within: { item } }) {
      const confirmed = await confirmUpload(service.ports, item.id, facts.signal);
      return { data: showMedia(service, confirmed), message: 'The file was stored.' };
    },
  }),
};
