import {
  confirmUpload,
  deleteMedia,
  findMedia,
  folderErrors,
  folderErrorsOfFiles,
  issueUploads,
  listMedia,
  refreshUpload,
  startImport,
  updateMedia,
} from '@postshelf/application';
import {
  MAX_FILES_PER_REQUEST,
  type MediaChange,
  type MediaFilter,
  type MediaWithCover,
  notFound,
  type Scope,
  type Workspace,
} from '@postshelf/domain';
import * as v from 'valibot';
import { dataAndMessageOf, dataOf, pageOf, pathId, readUuidOrRoot } from '../fields/common.ts';
import { importRequest, mediaChange, mediaContent, mediaQuery, storedMedia } from './schema.ts';
import { presignedUpload, presignRequest } from '../presign/schema.ts';
import { readRange } from '../fields/range.ts';
import { baseUrl } from '../../service.ts';
import { adding } from '../../routers/adding.ts';
import { showMedia, showUpload } from './show.ts';
import { pageEnvelope, readPage } from '../page.ts';
import { alsoCheck, type Known, procedureWith, router, workspaceProcedure } from '../../faces/trpc/router.ts';

const tags = ['Media'];
const UPLOAD =
  'As JSON: a file that is on the web, by its address. As `multipart/form-data`: files in the request. An image is `active` at once; a video by URL, and an image by URL above 50 MB, is `processing`. For larger files there is presign.';
const STORAGE_LOW = 'The storage is low on space and takes no files for now.';
const NEVER = new AbortController().signal;
const IN_WORKSPACE = '/workspaces/{workspace}/media_contents';
const ONE = '/media_contents/{id}';

const mediaProcedure = (scope: Scope) =>
  procedureWith(scope)
    .input(v.object({ id: pathId }))
    .use(
      adding(async ({ service, token }: Known, { id }: { id: string }) => ({
        media: await findMedia(service.ports, token, id),
      })),
    );

const checkFolder = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, { folder_id }) =>
  folderErrors(service.ports, workspace.id, 'folder_id', folder_id),
);

const checkFoldersOfFiles = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, { files }) =>
  folderErrorsOfFiles(
    service.ports,
    workspace.id,
    // Of more than may come at all none is looked up.
    Array.isArray(files) && files.length <= MAX_FILES_PER_REQUEST ? files.map((file) => Object(file).folder_id) : [],
  ),
);

const checkFolderOfMedia = alsoCheck<{ media: MediaWithCover }>(({ service, media: { item } }, { folder_id }) =>
  folderErrors(service.ports, item.workspaceId, 'folder_id', folder_id),
);

function readFilter(input: v.InferOutput<typeof mediaQuery>, zone: string): MediaFilter {
  const { status, type, search } = input;
  const { id: folderId } = readUuidOrRoot(input.folder_id);
  return {
    ...(folderId !== undefined && { folderId }),
    ...(status && { status }),
    ...(type && { kind: type }),
    ...(search && { search }),
    ...readRange(input, zone),
  };
}

function readChange({ name, label, folder_id }: v.InferOutput<typeof mediaChange>): MediaChange {
  return {
    ...(name !== undefined && { name }),
    ...(label !== undefined && { label }),
    ...(folder_id !== undefined && { folderId: folder_id }),
  };
}

export const media = router({
  get: mediaProcedure('media:read')
    .meta({
      openapi: {
        method: 'GET',
        path: ONE,
        summary: 'Poll a media item',
        description:
          'The item as it is now. An import is over when `status` is `active` or `failed`. For a `temporary` item whose file has come, this makes the check of its confirmation.',
        tags,
      },
      status: 200,
      extension: false,
    })
    .output(dataOf(mediaContent, 'ShownMedia'))
    .query(async ({ ctx }) => {
      const { ports } = ctx.service;
      const { item } = ctx.media;
      const media = item.status === 'temporary' ? await refreshUpload(ports, item) : ctx.media;
      if (!media) throw notFound();
      return { data: showMedia(ctx.service, media) };
    }),

  list: workspaceProcedure('media:read')
    .meta({
      openapi: {
        method: 'GET',
        path: IN_WORKSPACE,
        summary: 'List media',
        description: 'Most recently updated first. Covers of videos are not listed. All filters given must hold.',
        tags,
      },
      status: 200,
      extension: true,
    })
    .use(checkFolder)
    .input(mediaQuery)
    .output(pageOf(mediaContent, 'MediaPage'))
    .query(async ({ ctx, input }) => {
      const { service, workspace } = ctx;
      const rows = await listMedia(service.ports, workspace, readFilter(input, workspace.timezone), readPage(input));
      const path = `${baseUrl(service)}/workspaces/${workspace.id}/media_contents`;
      return pageEnvelope(path, input, rows, (item) => showMedia(service, item));
    }),

  importUrl: workspaceProcedure('media:write')
    .meta({
      openapi: { method: 'POST', path: IN_WORKSPACE, summary: 'Upload media', description: UPLOAD, tags },
      status: 201,
      extension: false,
      statuses: {
        201: 'Stored; every item is `active`.',
        202: 'Accepted; the item is `processing`: poll it.',
        507: STORAGE_LOW,
        413: 'A file in `files[]` is above 200 MB (the message points at presign), the URL announces more than 2 GB, or the JSON body is above 1 MB.',
        422: 'Fields are not valid, a file is none of the six types, or `url` does not lead to one at a public address.',
      },
    })
    .use(checkFolder)
    .input(importRequest)
    .output(storedMedia)
    .mutation(async ({ ctx, input, signal }) => {
      const { service, workspace } = ctx;
      const { url, name, label, folder_id } = input;
      const request = { url, name, label, folderId: folder_id };
      const media = await startImport(service.ports, service.imports, workspace, request, signal ?? NEVER);
      const message = media.item.status === 'active' ? 'The file was stored.' : 'The file is being imported.';
      return { data: [showMedia(service, media)], message };
    }),

  presign: workspaceProcedure('media:write')
    .meta({
      openapi: {
        method: 'POST',
        path: `${IN_WORKSPACE}/presign`,
        summary: 'Issue presigned upload URLs',
        description:
          'For files that should not pass through the service. `label` and `folder_id` of a file become those of its item. `PUT` each file to its `upload_url` with the `upload_headers` and its `Content-Length`, then confirm the item.',
        tags,
      },
      status: 201,
      extension: false,
      statuses: { 507: STORAGE_LOW },
    })
    .use(checkFoldersOfFiles)
    .input(presignRequest)
    .output(dataOf(v.array(presignedUpload), 'PresignedUploads'))
    .mutation(async ({ ctx, input }) => {
      const files = input.files.map(({ name, size, mime, label, folder_id }) => {
        return { name, size, type: mime, label, folderId: folder_id };
      });
      const issued = await issueUploads(ctx.service.ports, ctx.workspace, files);
      return { data: issued.map((upload) => showUpload(ctx.service, upload)) };
    }),

  confirm: mediaProcedure('media:write')
    .meta({
      openapi: {
        method: 'POST',
        path: `${ONE}/confirm`,
        summary: 'Confirm a presigned upload',
        description: 'Checks the uploaded file: exact size, and type from the bytes. A repeat changes nothing.',
        tags,
      },
      status: 200,
      extension: true,
      statuses: {
        507: STORAGE_LOW,
        422: 'On `file`: nothing was uploaded and the item stays `temporary`, or it is not what was announced and the item is `failed`.',
      },
    })
    .output(dataAndMessageOf(mediaContent, 'ConfirmedMedia'))
    .mutation(async ({ ctx }) => {
      const confirmed = await confirmUpload(ctx.service.ports, ctx.media.item.id);
      return { data: showMedia(ctx.service, confirmed), message: 'The file was stored.' };
    }),

  update: mediaProcedure('media:write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: ONE,
        summary: 'Update a media item',
        description: 'What is absent stays. Renaming changes neither `full_name` nor `link`.',
        tags,
      },
      status: 200,
      extension: true,
    })
    .use(checkFolderOfMedia)
    .input(mediaChange)
    .output(dataAndMessageOf(mediaContent, 'UpdatedMedia'))
    .mutation(async ({ ctx, input }) => {
      const updated = await updateMedia(ctx.service.ports, ctx.media.item, readChange(input));
      return { data: showMedia(ctx.service, updated), message: 'The media item was updated.' };
    }),

  delete: mediaProcedure('media:write')
    .meta({
      openapi: {
        method: 'DELETE',
        path: ONE,
        summary: 'Delete a media item',
        description: 'The link is dead at once. An import on its way ends.',
        tags,
      },
      status: 204,
      extension: true,
      statuses: {
        422: 'On `media_content`: a post uses the item. On `id`: the item is the cover of a video, and goes with it.',
      },
    })
    .output(v.null())
    .mutation(async ({ ctx }) => {
      const { ports, report } = ctx.service;
      await deleteMedia(ports, ctx.media.item, (fullName, cause) =>
        report.warning('An object outlived its media item; gc will remove it.', { fullName, cause }),
      );
      return null;
    }),
});
