import {
  beginRemoval,
  createWorkspace,
  listWorkspaces,
  type OperatedWorkspace,
  operatedWorkspace,
  updateWorkspace,
} from '@postshelf/application';
import { notFound } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { given } from '../fields/values.ts';
import { anyWorkspace, operation } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { newWorkspace, settingsOf, showWorkspace, workspace, workspaceChange } from './schema.ts';

const tag = 'Workspaces';
const ONE = '/workspaces/{workspace}';

export const workspaces = {
  list: operation({
    method: 'GET',
    path: '/workspaces',
    summary: 'List workspaces',
    description: 'Lists all workspaces of the service, newest first.',
    tag,
    scope: 'operator',
    status: 200,
    extension: true,
    input: v.object(pageQuery),
    output: pageOf(workspace, 'WorkspacePage'),
    async run({ service, input }) {
      const rows = await listWorkspaces(service.ports, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/workspaces`, input, rows, showWorkspace);
    },
  }),

  create: operation({
    method: 'POST',
    path: '/workspaces',
    summary: 'Create workspace',
    description: 'Creates a workspace for a tenant. Tokens that are issued for the workspace have access to it.',
    tag,
    scope: 'operator',
    status: 201,
    extension: true,
    input: newWorkspace,
    output: dataAndMessageOf(workspace, 'CreatedWorkspace'),
    async run({ service, input, completes }) {
      const { name, timezone = 'UTC', system_folders: systemFolders = [], ...settings } = input;
      const answer = (created: OperatedWorkspace) => ({
        data: showWorkspace(created),
        message: 'The workspace was created.',
      });
      const request = { name, timezone, systemFolders, ...settingsOf(settings) };
      const created = await createWorkspace(service.ports, request, completes(answer));
      return answer({ workspace: created, systemFolders });
    },
  }),

  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Show workspace',
    description: 'Returns the workspace.',
    tag,
    scope: 'operator',
    status: 200,
    extension: true,
    within: anyWorkspace,
    output: dataOf(workspace, 'ShownWorkspace'),
    run: async ({ service, within: found }) => ({
      data: showWorkspace(await operatedWorkspace(service.ports, found)),
    }),
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update workspace',
    description:
      'Absent fields stay as they are. Best times use a new time zone immediately; a change of the quotas, or of whether coordinates are removed, applies to files received from then on.',
    tag,
    scope: 'operator',
    status: 200,
    extension: true,
    within: anyWorkspace,
    input: workspaceChange,
    output: dataAndMessageOf(workspace, 'UpdatedWorkspace'),
    async run({ service, within: { id }, input }) {
      const { name, timezone, system_folders: systemFolders, ...settings } = input;
      const change = { ...given({ name, timezone, systemFolders }), ...settingsOf(settings) };
      const changed = await updateWorkspace(service.ports, id, change);
      if (!changed) throw notFound();
      return {
        data: showWorkspace(await operatedWorkspace(service.ports, changed)),
        message: 'The workspace was updated.',
      };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete workspace',
    description:
      'The workspace disappears immediately. Everything in it, and tokens with access to no other workspace, are removed in the background; files stay in the trash of the storage for `TRASH_DAYS`.',
    tag,
    scope: 'operator',
    status: 202,
    extension: true,
    within: anyWorkspace,
    output: dataAndMessageOf(workspace, 'DeletedWorkspace'),
    async run({ service, within: found }) {
      const data = showWorkspace(await operatedWorkspace(service.ports, found));
      await beginRemoval(service.ports, found);
      return { data, message: 'The workspace is being deleted.' };
    },
  }),
};
