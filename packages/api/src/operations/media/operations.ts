import {
  changeErrors,
  coverErrors,
  deleteMedia,
  findIncluded,
  findMedia,
  findPromised,
  folderErrors,
  listMedia,
  refreshUpload,
  updateMedia,
  updateWithCover,
} from '@postshelf/application';
import { type MediaChange, type MediaQuery, notFound, versionOfMedia } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { readRange } from '../fields/range.ts';
import { given, readUuidOrRoot } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, readPage } from '../pagination.ts';
import { variantOf } from '../versions/versions.ts';
import { readInclude, showIncluded } from './include.ts';
import { choiceIn, mediaChange, mediaContent, mediaQuery, oneMediaQuery, readCover, readSort } from './schema.ts';
import { showMedia } from './show.ts';

const tag = 'Media';
const ONE = '/media_contents/{id}';

export const oneMedia = within('id', findMedia);

/** Finds an item by its own id, or by an alias: the id that a duplicate upload of the same file got. */
export const promisedMedia = within('id', findPromised);

function readQuery(input: v.InferOutput<typeof mediaQuery>, zone: string): MediaQuery {
  const { status, type, search, tag: tags, sha256, sort } = input;
  const { id: folderId } = readUuidOrRoot(input.folder_id);
  return {
    ...(folderId !== undefined && { folderId }),
    ...(status && { status }),
    ...(type && { kind: type }),
    ...(search && { search }),
    ...readRange(input, zone),
    ...(tags && { tags }),
    ...(sha256 && { sha256 }),
    ...(sort && { sort: readSort(sort) }),
  };
}

function readChange(input: v.InferOutput<typeof mediaChange>): MediaChange {
  const { name, label, folder_id, alt_text, focus, tags } = input;
  return given({ name, label, folderId: folder_id, altText: alt_text, focus, tags });
}

export const media = {
  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Poll a media item',
    description:
      'Returns the item. An import is over when `status` is `active` or `failed`. If the item is `temporary` and its file has arrived, this also confirms the upload.',
    tag,
    tool: 'media_get',
    scope: 'media:read',
    status: 200,
    extension: false,
    within: promisedMedia,
    input: oneMediaQuery,
    output: dataOf(mediaContent, 'ShownMedia'),
    versioned: true,
    async run({ service, facts, within: found, input }) {
      const { item } = found;
      const media = item.status === 'temporary' ? await refreshUpload(service.ports, item, facts.signal) : found;
      if (!media) throw notFound();
      const data = showMedia(service, media);
      const version = versionOfMedia(media);
      if (input.include === undefined) return { data, version };
      const asked = readInclude(input.include);
      const more = await findIncluded(service.ports, item.workspaceId, [media], asked, facts.signal);
      const included = showIncluded(service, media, more);
      // The item's version doesn't change when previews are made or posts use the item, so it isn't enough for the
      // ETag.
      const variant = asked.usage ? null : variantOf('d', included.details);
      return { data: { ...data, ...included }, version, variant };
    },
  }),

  list: operation({
    method: 'GET',
    path: '/workspaces/{workspace}/media_contents',
    summary: 'List media',
    description: 'Covers of videos are not listed. Results must match all filters given.',
    tag,
    tool: 'media_list',
    scope: 'media:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: mediaQuery,
    output: pageOf(mediaContent, 'MediaPage'),
    checkAlso: ({ service, within: workspace }, { folder_id }) =>
      folderErrors(service.ports, workspace.id, 'folder_id', folder_id),
    async run({ facts, service, within: workspace, input }) {
      const query = readQuery(input, workspace.timezone);
      const rows = await listMedia(service.ports, workspace, query, readPage(input), facts.signal);
      const asked = readInclude(input.include);
      const more = await findIncluded(service.ports, workspace.id, rows.items, asked, facts.signal);
      const path = `${baseUrl(service)}/workspaces/${workspace.id}/media_contents`;
      return pageEnvelope(path, input, rows, (media) => ({
        ...showMedia(service, media),
        ...showIncluded(service, media, more),
      }));
    },
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update a media item',
    description:
      'Absent fields stay as they are. Renaming changes neither `full_name` nor `link`. `cover` gives a video another cover: one of its frames, or a copy of an image.',
    tag,
    tool: 'media_update',
    scope: 'media:write',
    status: 200,
    extension: true,
    within: oneMedia,
    input: mediaChange,
    output: dataAndMessageOf(mediaContent, 'UpdatedMedia'),
    versioned: true,
    checkAlso: async ({ service, within: { item } }, raw) => ({
      ...(await changeErrors(service.ports, item, raw)),
      ...(await coverErrors(service.ports, item, choiceIn(raw.cover))),
    }),
    async run({ service, facts, within: found, input, expected }) {
      const { ports, observer } = service;
      const { signal } = facts;
      const change = readChange(input);
      const onLeftOver = (fullName: string, cause: unknown): void =>
        observer.warning('A replaced cover outlived its row; it will be removed.', { fullName, cause });
      const updated = input.cover
        ? await updateWithCover(ports, found, change, readCover(input.cover), { expected, signal, onLeftOver })
        : await updateMedia(ports, found.item, change, expected);
      const version = versionOfMedia(updated);
      return { data: showMedia(service, updated), message: 'The media item was updated.', version };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a media item',
    description:
      'The link stops working immediately. An `active` item is moved to the trash, from which it can be restored for some days, unless the operator has turned the trash off. An import in progress is cancelled.',
    tag,
    tool: 'media_delete',
    scope: 'media:write',
    status: 204,
    extension: true,
    statuses: {
      422: 'On `media_content`: a post uses the item. On `id`: the item is the cover of a video and can’t be deleted separately.',
    },
    examples: { 422: { media_content: ['The media item is used by a post.'] } },
    within: oneMedia,
    output: v.null(),
    versioned: true,
    async run({ service: { ports, observer }, within: { item }, expected }) {
      const onLeftOver = (fullName: string, cause: unknown): void =>
        observer.warning('An object outlived its media item; gc will remove it.', { fullName, cause });
      await deleteMedia(ports, item, onLeftOver, expected);
      return null;
    },
  }),
};
