import { notFound } from '@postshelf/domain';
import { dataOf } from '../envelopes.ts';
import { inWorkspace, operation } from '../operation.ts';
import { usage as schema, showUsage } from './schema.ts';

export const usage = operation({
  method: 'GET',
  path: '/workspaces/{workspace}/usage',
  summary: 'Show the usage of a workspace',
  description:
    'Shows what the workspace holds, and its quota. Until presigned uploads are confirmed and resumable uploads are complete, their announced bytes count against the quota, but are not shown here.',
  tag: 'Workspaces',
  scope: 'media:read',
  status: 200,
  extension: true,
  within: inWorkspace,
  output: dataOf(schema, 'ShownUsage'),
  async run({ service, within: workspace }) {
    const found = await service.ports.workspaces.usage(workspace.id);
    // The workspace was removed in the meantime.
    if (!found) throw notFound();
    return { data: showUsage(found) };
  },
});
