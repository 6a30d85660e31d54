import { listWorkspaces } from '@postshelf/application';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { operation } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { showWorkspace, workspace } from './schema.ts';

const tag = 'Workspaces';

export const workspaces = {
  list: operation({
    method: 'GET',
    path: '/workspaces',
    summary: 'List workspaces',
    description: 'All of the service, the newest first.',
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
};
