import { emptyTrash, findTrashed, listTrash, purgeTrashed, restoreMedia } from '@postshelf/application';
import type { MediaWithCover, TrashedMedia } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl, type Service } from '../../service.ts';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { showTime } from '../fields/values.ts';
import { mediaContent, search, trashedMedia } from '../media/schema.ts';
import { showMedia } from '../media/show.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';

const tag = 'Trash';
const IN_WORKSPACE = '/workspaces/{workspace}/trash';

const oneTrashed = within('id', findTrashed);

const showTrashed = (service: Service, media: TrashedMedia) => ({
  ...showMedia(service, media),
  deleted_at: showTime(media.trashedAt),
});

export const trash = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List the trash',
    description:
      'Lists deleted media that can be restored, latest first. Each item is deleted forever after some days.',
    tag,
    tool: 'trash_list',
    scope: 'media:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: v.object({ ...pageQuery, search }),
    output: pageOf(trashedMedia, 'TrashPage'),
    async run({ facts, service, within: workspace, input }) {
      const rows = await listTrash(service.ports, workspace, input.search, readPage(input), facts.signal);
      const path = `${baseUrl(service)}/workspaces/${workspace.id}/trash`;
      return pageEnvelope(path, input, rows, (media) => showTrashed(service, media));
    },
  }),

  restore: operation({
    method: 'POST',
    path: '/trash/{id}/restore',
    summary: 'Restore a deleted media item',
    description:
      'Restores the item with its id, name, link and tags to its folder, or to the root of the library if that folder no longer exists.',
    tag,
    tool: 'trash_restore',
    scope: 'media:write',
    status: 200,
    extension: true,
    within: oneTrashed,
    output: dataOf(mediaContent, 'RestoredMedia'),
    async run({ service, within: found, completes }) {
      const answer = (restored: MediaWithCover) => ({ data: showMedia(service, restored) });
      return answer(await restoreMedia(service.ports, found, completes(answer)));
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: '/trash/{id}',
    summary: 'Delete a media item for good',
    description: 'The item can no longer be restored, and its space is freed.',
    tag,
    scope: 'media:write',
    status: 204,
    extension: true,
    within: oneTrashed,
    output: v.null(),
    async run({ service, within: found }) {
      await purgeTrashed(service.ports, found);
      return null;
    },
  }),

  empty: operation({
    method: 'DELETE',
    path: IN_WORKSPACE,
    summary: 'Empty the trash',
    description: 'The items in the trash can no longer be restored. Their space is freed in the background.',
    tag,
    scope: 'media:write',
    status: 202,
    extension: true,
    within: inWorkspace,
    output: documented(v.object({ message: v.string() }), { title: 'EmptiedTrash' }),
    async run({ service, within: workspace }) {
      await emptyTrash(service.ports, workspace);
      return { message: 'The trash is being emptied.' };
    },
  }),
};
