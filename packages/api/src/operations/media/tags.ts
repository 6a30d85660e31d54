import { listTags } from '@postshelf/application';
import { MAX_LISTED_TAGS } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { documented } from '../fields/documented.ts';
import { inWorkspace, operation } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';

const tag = documented(
  v.object({ tag: documented(v.string(), { description: 'The tag, spelled as in one of its items.' }) }),
  {
    title: 'Tag',
  },
);

export const tags = operation({
  method: 'GET',
  path: '/workspaces/{workspace}/tags',
  summary: 'List tags',
  description: `Lists the tags of all items in alphabetical order, each only once, ignoring case: at most the first ${MAX_LISTED_TAGS.toLocaleString('en')}.`,
  tag: 'Media',
  scope: 'media:read',
  status: 200,
  extension: true,
  within: inWorkspace,
  input: v.object(pageQuery),
  output: pageOf(tag, 'TagPage'),
  async run({ facts, service, within: workspace, input }) {
    const rows = await listTags(service.ports, workspace, readPage(input), facts.signal);
    return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/tags`, input, rows, (name) => ({ tag: name }));
  },
});
