import {
  createPost,
  deletePost,
  findPost,
  listPosts,
  postErrors,
  profileErrors,
  updateMetrics,
} from '@postshelf/application';
import { NO_METRICS, type Post, type PostFilter, type Scope, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { dataAndMessageOf, dataOf, pageOf, pathId } from '../fields/common.ts';
import { given } from '../fields/given.ts';
import { metricsChange, newPost, post, postQuery } from './schema.ts';
import { readRange } from '../fields/range.ts';
import { baseUrl } from '../../service.ts';
import { adding } from '../../routers/adding.ts';
import { pageEnvelope, readPage } from '../page.ts';
import { alsoCheck, type Known, procedureWith, router, workspaceProcedure } from '../../faces/trpc/router.ts';

const tags = ['Posts'];
const IN_WORKSPACE = '/workspaces/{workspace}/posts';
const ONE = '/posts/{id}';

const postProcedure = (scope: Scope) =>
  procedureWith(scope)
    .input(v.object({ id: pathId }))
    .use(
      adding(async ({ service, token }: Known, { id }: { id: string }) => ({
        post: await findPost(service.ports, token, id),
      })),
    );

const checkReferences = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, raw) =>
  postErrors(service.ports, workspace.id, raw),
);

const checkProfile = alsoCheck<{ workspace: Workspace }>(({ service, workspace }, { profile }) =>
  profileErrors(service.ports, workspace.id, profile),
);

function show({ id, profileId, externalId, publishedAt, text, mediaIds, metrics }: Post) {
  return {
    id,
    profile: profileId,
    external_id: externalId,
    published_at: new Date(publishedAt).toISOString(),
    text,
    media_content_ids: [...mediaIds],
    metrics,
  };
}

function readFilter(input: v.InferOutput<typeof postQuery>, zone: string): PostFilter {
  return { ...(input.profile && { profileId: input.profile }), ...readRange(input, zone) };
}

export const posts = router({
  list: workspaceProcedure('analytics:read')
    .meta({
      openapi: {
        method: 'GET',
        path: IN_WORKSPACE,
        summary: 'List posts',
        description: 'Most recently published first. All filters given must hold.',
        tags,
      },
      status: 200,
      extension: true,
    })
    .use(checkProfile)
    .input(postQuery)
    .output(pageOf(post, 'PostPage'))
    .query(async ({ ctx, input }) => {
      const { service, workspace } = ctx;
      const rows = await listPosts(service.ports, workspace, readFilter(input, workspace.timezone), readPage(input));
      return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/posts`, input, rows, show);
    }),

  create: workspaceProcedure('analytics:write')
    .meta({
      openapi: {
        method: 'POST',
        path: IN_WORKSPACE,
        summary: 'Create post',
        description:
          'A post that was published, with its media, which must be `active`, and its metrics as far as they are known.',
        tags,
      },
      status: 201,
      extension: true,
    })
    .use(checkReferences)
    .input(newPost)
    .output(dataAndMessageOf(post, 'CreatedPost'))
    .mutation(async ({ ctx, input }) => {
      const created = await createPost(ctx.service.ports, ctx.workspace, {
        profileId: input.profile,
        externalId: input.external_id ?? null,
        publishedAt: input.published_at,
        text: input.text ?? null,
        mediaIds: input.media_content_ids ?? [],
        metrics: { ...NO_METRICS, ...given(input.metrics ?? {}) },
      });
      return { data: show(created), message: 'The post was created.' };
    }),

  get: postProcedure('analytics:read')
    .meta({
      openapi: { method: 'GET', path: ONE, summary: 'Show post', description: 'The post as it is now.', tags },
      status: 200,
      extension: true,
    })
    .output(dataOf(post, 'ShownPost'))
    .query(({ ctx }) => ({ data: show(ctx.post) })),

  updateMetrics: postProcedure('analytics:write')
    .meta({
      openapi: {
        method: 'PUT',
        path: `${ONE}/metrics`,
        summary: "Update a post's metrics",
        description: 'Metrics that are absent stay.',
        tags,
      },
      status: 200,
      extension: true,
    })
    .input(metricsChange)
    .output(dataAndMessageOf(post, 'UpdatedPost'))
    .mutation(async ({ ctx, input }) => {
      const { id: _, ...metrics } = input;
      const updated = await updateMetrics(ctx.service.ports, ctx.post, given(metrics));
      return { data: show(updated), message: 'The metrics were updated.' };
    }),

  delete: postProcedure('analytics:write')
    .meta({
      openapi: {
        method: 'DELETE',
        path: ONE,
        summary: 'Delete post',
        description: 'Its media stay, and may be deleted from then on.',
        tags,
      },
      status: 204,
      extension: true,
    })
    .output(v.null())
    .mutation(async ({ ctx }) => {
      await deletePost(ctx.service.ports, ctx.post);
      return null;
    }),
});
