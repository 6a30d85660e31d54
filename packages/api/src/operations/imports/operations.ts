import { folderErrors, type ImportSettings, requireEntry, startImport } from '@postshelf/application';
import { type MediaWithCover, MULTIPART_FILE_TOO_LARGE } from '@postshelf/domain';
import { readTerms, requireMayReturn } from '../duplicates/schema.ts';
import { storedMedia } from '../media/schema.ts';
import { showMedia } from '../media/show.ts';
import { inWorkspace, operation } from '../operation.ts';
import { importRequest } from './schema.ts';

const DESCRIPTION =
  'A JSON body imports a file by its URL; a `multipart/form-data` body uploads the files in it. Uploaded files, and images by URL up to 50 MB, are `active` immediately; videos by URL, and larger images by URL, are `processing` first. Upload files above 200 MB with presigned URLs.';

/** Details for the log line about an attempt that failed because of the remote server. */
const REMOTE = { field: 'url', code: 'failed' };

export const imports = {
  importUrl: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/media_contents',
    summary: 'Upload media',
    description: DESCRIPTION,
    tag: 'Media',
    tool: 'media_import',
    scope: 'media:write',
    status: 201,
    extension: false,
    statuses: {
      201: 'Stored; every item is `active`.',
      202: 'Accepted; the item is `processing`: poll it.',
      507: 'The storage is low on space and accepts no files for now.',
      413: 'A file in `files[]` is above 200 MB (the message refers to presigned uploads), the file at the URL is above 2 GB, or the JSON body is above 1 MB.',
      422: 'Fields are invalid, a file is not of an accepted type, or `url` does not lead to such a file at a public address.',
    },
    examples: { 413: MULTIPART_FILE_TOO_LARGE },
    within: inWorkspace,
    input: importRequest,
    output: storedMedia,
    checkAlso: ({ service, caller, within: workspace }, { folder_id, on_duplicate }) => {
      requireMayReturn(caller, workspace, [on_duplicate]);
      return folderErrors(service.ports, workspace.id, 'folder_id', folder_id);
    },
    async run({ facts, service, caller, within: workspace, input, completes }) {
      const { url, name, label, folder_id, ...fields } = input;
      requireMayReturn(caller, workspace, [fields.on_duplicate]);
      const answer = (media: MediaWithCover) => ({
        data: [showMedia(service, media)],
        message: media.item.status === 'active' ? 'The file was stored.' : 'The file is being imported.',
      });
      const { actor: createdBy } = requireEntry(caller, workspace.id);
      const wanted = {
        createdBy,
        url,
        name,
        label,
        folderId: folder_id,
        terms: readTerms(fields),
        requestId: facts.id,
      };
      const { signal } = facts;
      const settings: ImportSettings = {
        ...service.imports,
        onFailedTry: (media, outcome, cause) =>
          service.observer.warning('job', { kind: 'import', id: facts.id, media, outcome, ...REMOTE, cause }),
      };
      return answer(await startImport(service.ports, settings, workspace, wanted, signal, completes(answer)));
    },
  }),
};
