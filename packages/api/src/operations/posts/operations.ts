import {
  createPost,
  deletePost,
  editErrors,
  filterErrors,
  findPost,
  listPosts,
  postErrors,
  readinessOfPost,
  updatePost,
} from '@postshelf/application';
import { NO_METRICS, notFound, type Post, type PostFilter, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl, type Service } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { publishedAtOf } from '../fields/published-at.ts';
import { readRange } from '../fields/range.ts';
import { given } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, readPage } from '../pagination.ts';
import { showReadiness } from '../readiness/schema.ts';
import { createdPost, metricsChange, newPost, post, postChange, postPage, postQuery, showPost } from './schema.ts';

const tag = 'Posts';
const IN_WORKSPACE = '/workspaces/{workspace}/posts';
const ONE = '/posts/{id}';

const onePost = within('id', findPost);

function readFilter(input: v.InferOutput<typeof postQuery>, zone: string): PostFilter {
  const { profile, media_content_id } = input;
  return {
    ...(profile && { profileId: profile }),
    ...(media_content_id && { mediaId: media_content_id }),
    ...readRange(input, zone),
  };
}

/** Returns the workspace of a post. @throws Refusal `not_found` if the workspace is being removed */
async function workspaceOf({ ports }: Service, { workspaceId }: Post): Promise<Workspace> {
  const workspace = await ports.workspaces.find(workspaceId);
  if (!workspace) throw notFound();
  return workspace;
}

export const posts = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List posts',
    description:
      'Most recently published first. Results must match all filters given. Texts are shown up to 10,000 characters; `meta.cut_texts` lists the posts with longer texts.',
    tag,
    tool: 'posts_list',
    scope: 'analytics:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: postQuery,
    output: postPage,
    checkAlso: ({ service, within: workspace }, raw) => filterErrors(service.ports, workspace.id, raw),
    async run({ facts, service, within: workspace, input }) {
      const filter = readFilter(input, workspace.timezone);
      const rows = await listPosts(service.ports, workspace, filter, readPage(input), facts.signal);
      const page = pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/posts`, input, rows, showPost);
      return rows.cut ? { ...page, meta: { ...page.meta, cut_texts: [...rows.cut] } } : page;
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Create post',
    description:
      'Adds a post that was published or, with a future `published_at`, is planned. Its media must be `active`. Its metrics can be given as far as they are known.',
    tag,
    tool: 'posts_create',
    scope: 'analytics:write',
    status: 201,
    extension: true,
    within: inWorkspace,
    input: newPost,
    inQuery: ['include'],
    output: dataAndMessageOf(createdPost, 'CreatedPost'),
    versioned: true,
    checkAlso: ({ service, within: workspace }, raw) => postErrors(service.ports, workspace.id, raw),
    async run({ service, within: workspace, input, completes }) {
      const details = {
        profileId: input.profile,
        externalId: input.external_id ?? null,
        publishedAt: publishedAtOf(input.published_at, workspace),
        text: input.text ?? null,
        mediaIds: input.media_content_ids ?? [],
        metrics: { ...NO_METRICS, ...given(input.metrics ?? {}) },
      };
      // The readiness is determined before the insert, so that it is part of the answer that is stored for repeats.
      const draft = { workspaceId: workspace.id, ...details };
      const found = input.include?.includes('readiness') ? await readinessOfPost(service.ports, draft) : undefined;
      const readiness = found === undefined ? {} : { readiness: found && showReadiness(found) };
      const answer = (created: Post) => ({
        data: { ...showPost(created), ...readiness },
        message: 'The post was created.',
      });
      return answer(await createPost(service.ports, workspace, details, completes(answer)));
    },
  }),

  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Show post',
    description: 'Returns the post.',
    tag,
    tool: 'posts_get',
    scope: 'analytics:read',
    status: 200,
    extension: true,
    within: onePost,
    output: dataOf(post, 'ShownPost'),
    versioned: true,
    run: async ({ within: found }) => ({ data: showPost(found), version: found.version }),
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update post',
    description:
      'Absent fields stay as they are. Null clears `text`, `media_content_ids` and `metrics`, and frees the `external_id`; absent metrics stay as they are.',
    tag,
    tool: 'posts_update',
    scope: 'analytics:write',
    status: 200,
    extension: true,
    within: onePost,
    input: postChange,
    output: dataAndMessageOf(post, 'ChangedPost'),
    versioned: true,
    checkAlso: ({ service, within: found }, raw) => editErrors(service.ports, found, raw),
    async run({ service, within: found, input, expected }) {
      const { published_at, text, media_content_ids: media, metrics, external_id } = input;
      const edit = given({
        publishedAt:
          published_at === undefined ? undefined : publishedAtOf(published_at, await workspaceOf(service, found)),
        text,
        mediaIds: media === null ? [] : media,
        metrics: metrics === null ? NO_METRICS : metrics && given(metrics),
        externalId: external_id,
      });
      const updated = await updatePost(service.ports, found, edit, expected);
      return { data: showPost(updated), message: 'The post was updated.', version: updated.version };
    },
  }),

  updateMetrics: operation({
    method: 'PUT',
    path: `${ONE}/metrics`,
    summary: "Update a post's metrics",
    description: 'Absent metrics stay as they are.',
    tag,
    scope: 'analytics:write',
    status: 200,
    extension: true,
    within: onePost,
    input: metricsChange,
    output: dataAndMessageOf(post, 'UpdatedPost'),
    versioned: true,
    async run({ service, within: found, input, expected }) {
      const updated = await updatePost(service.ports, found, { metrics: given(input) }, expected);
      return { data: showPost(updated), message: 'The metrics were updated.', version: updated.version };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete post',
    description: 'The post’s media are kept, and can then be deleted unless another post uses them.',
    tag,
    tool: 'posts_delete',
    scope: 'analytics:write',
    status: 204,
    extension: true,
    within: onePost,
    output: v.null(),
    versioned: true,
    async run({ service, within: found, expected }) {
      await deletePost(service.ports, found, expected);
      return null;
    },
  }),
};
