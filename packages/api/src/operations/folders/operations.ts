import {
  createFolder,
  deleteFolder,
  findFolder,
  folderErrors,
  listFolders,
  parentErrors,
  updateFolder,
} from '@postshelf/application';
import type { Folder, Scope, Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { dataAndMessageOf, dataOf, pageOf, pathId, readUuidOrRoot } from '../fields/common.ts';
import { folder, folderChange, folderQuery, folderWithSystem, newFolder } from './schema.ts';
import { baseUrl } from '../../service.ts';
import { adding } from '../../routers/adding.ts';
import { pageEnvelope, readPage } from '../page.ts';
import { alsoCheck, type Known, procedureWith, router, workspaceProcedure } from '../../faces/trpc/router.ts';

const tags = ['Folders'];
const IN_WORKSPACE = '/workspaces/{workspace}/media_library/folders';
const ONE = '/media_library/folders/{folder}';

const folderProcedure = (scope: Scope) =>
  procedureWith(scope)
    .input(v.object({ folder: pathId }))
    .use(
      adding(async ({ service, token }: Known, { folder: id }: { folder: string }) => ({
        folder: await findFolder(service.ports, token, id),
      })),
    );

const checkParentFilter = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, { parent_id }) =>
  folderErrors(service.ports, workspace.id, 'parent_id', parent_id),
);

const checkNewParent = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, { parent_id }) =>
  parentErrors(service.ports, workspace.id, null, parent_id),
);

const checkParent = alsoCheck<{ folder: Folder }>(({ service, folder }, { parent_id }) =>
  parentErrors(service.ports, folder.workspaceId, folder, parent_id),
);

const show = ({ id, name, parentId }: Folder) => ({ id, name, parent_id: parentId });
const showWithSystem = (item: Folder) => ({ ...show(item), is_system: item.isSystem });

export const folders = router({
  list: workspaceProcedure('folders:read')
    .meta({
      openapi: {
        method: 'GET',
        path: IN_WORKSPACE,
        summary: 'List folders',
        description: 'Most recently updated first. Their ids are what `folder_id` takes.',
        tags,
      },
      status: 200,
      extension: false,
    })
    .use(checkParentFilter)
    .input(folderQuery)
    .output(pageOf(folderWithSystem, 'FolderPage'))
    .query(async ({ ctx, input }) => {
      const { id: parentId } = readUuidOrRoot(input.parent_id);
      const filter = parentId === undefined ? {} : { parentId };
      const rows = await listFolders(ctx.service.ports, ctx.workspace, filter, readPage(input));
      const path = `${baseUrl(ctx.service)}/workspaces/${ctx.workspace.id}/media_library/folders`;
      return pageEnvelope(path, input, rows, showWithSystem);
    }),

  create: workspaceProcedure('folders:write')
    .meta({
      openapi: {
        method: 'POST',
        path: IN_WORKSPACE,
        summary: 'Create folder',
        description: 'At the top level, or in another folder; at most 16 levels.',
        tags,
      },
      status: 201,
      extension: false,
    })
    .use(checkNewParent)
    .input(newFolder)
    .output(dataAndMessageOf(folder, 'CreatedFolder'))
    .mutation(async ({ ctx, input }) => {
      const details = { name: input.name, parentId: input.parent_id ?? null };
      const created = await createFolder(ctx.service.ports, ctx.workspace, details);
      return { data: show(created), message: 'The folder was created.' };
    }),

  get: folderProcedure('folders:read')
    .meta({
      openapi: { method: 'GET', path: ONE, summary: 'Show folder', description: 'The folder as it is now.', tags },
      status: 200,
      extension: false,
    })
    .output(dataOf(folder, 'ShownFolder'))
    .query(({ ctx }) => ({ data: show(ctx.folder) })),

  update: folderProcedure('folders:write')
    .meta({
      openapi: {
        method: 'PATCH',
        path: ONE,
        summary: 'Update folder',
        description: 'Renames it, moves it with everything in it, or both. What is absent stays.',
        tags,
      },
      status: 200,
      extension: false,
    })
    .use(checkParent)
    .input(folderChange)
    .output(dataAndMessageOf(folderWithSystem, 'UpdatedFolder'))
    .mutation(async ({ ctx, input }) => {
      const { name, parent_id } = input;
      const change = { ...(name !== undefined && { name }), ...(parent_id !== undefined && { parentId: parent_id }) };
      const updated = await updateFolder(ctx.service.ports, ctx.folder, change);
      return { data: showWithSystem(updated), message: 'The folder was updated.' };
    }),

  delete: folderProcedure('folders:write')
    .meta({
      openapi: {
        method: 'DELETE',
        path: ONE,
        summary: 'Delete folder',
        description: 'It must be empty, and no system folder.',
        tags,
      },
      status: 204,
      extension: true,
      statuses: { 422: 'The folder holds media or folders, or is a system folder.' },
    })
    .output(v.null())
    .mutation(async ({ ctx }) => {
      await deleteFolder(ctx.service.ports, ctx.folder);
      return null;
    }),
});
