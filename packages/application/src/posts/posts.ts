import {
  type ExpectedVersions,
  FIRST_VERSION,
  notFound,
  type PageRequest,
  type Post,
  type PostEdit,
  type PostFilter,
  type PostPage,
  parseUuid,
  Refusal,
  sliceOf,
  type Workspace,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';
import { conflictErrors, filterErrors, postErrors } from './check-post.ts';
import { requireSpace } from './require-space.ts';

export type NewPost = Pick<Post, 'profileId' | 'externalId' | 'publishedAt' | 'text' | 'mediaIds' | 'metrics'>;

/**
 * Stores a published post.
 *
 * @throws Refusal `invalid` on `profile`, `external_id` or `media_content_ids.N`; `storage_low`
 */
export async function createPost(
  ports: Pick<Ports, 'profiles' | 'posts' | 'media' | 'ids' | 'clock' | 'databaseSpace'>,
  workspace: Workspace,
  details: NewPost,
  complete?: Completing<Post>,
): Promise<Post> {
  const { profileId: profile, externalId: external_id, mediaIds: media_content_ids } = details;
  const errors = await postErrors(ports, workspace.id, { profile, external_id, media_content_ids });
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  await requireSpace(ports);
  const now = ports.clock.now();
  const post = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    ...details,
    version: FIRST_VERSION,
    createdAt: now,
    updatedAt: now,
  };
  const conflict = await ports.posts.insert(post, complete?.(post));
  if (conflict) throw new Refusal({ code: 'invalid', errors: conflictErrors(conflict) });
  return post;
}

/**
 * Finds the post that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the post's workspace
 */
export async function findPost(ports: Pick<Ports, 'posts'>, caller: Caller, id: string): Promise<Post> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.posts.find(uuid)));
}

/**
 * Lists posts, most recently published first. Only the beginning of a long text is returned.
 *
 * @throws Refusal `invalid` if `profile` or `media_content_id` doesn't belong to the workspace
 */
export async function listPosts(
  ports: Pick<Ports, 'posts' | 'profiles' | 'media'>,
  workspace: Workspace,
  filter: PostFilter,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<PostPage> {
  const requested = { profile: filter.profileId, media_content_id: filter.mediaId };
  const errors = await filterErrors(ports, workspace.id, requested);
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  return ports.posts.list(workspace.id, filter, sliceOf(page), signal);
}

/**
 * Changes the given fields.
 *
 * @throws Refusal `not_found` if it was deleted meanwhile; `changed`; `invalid` on `external_id` or
 *   `media_content_ids.N`; `storage_low`
 */
export async function updatePost(
  ports: Pick<Ports, 'posts' | 'clock' | 'databaseSpace'>,
  post: Post,
  edit: PostEdit,
  expected?: ExpectedVersions,
): Promise<Post> {
  if (edit.text) await requireSpace(ports);
  const updated = await ports.posts.update(post.id, edit, ports.clock.now(), expected);
  if (!updated) throw notFound();
  if ('conflict' in updated) throw new Refusal({ code: 'invalid', errors: conflictErrors(updated) });
  return updated;
}

/**
 * Deletes a post. Its media stay.
 *
 * @throws Refusal `not_found` if it was deleted meanwhile, `changed`
 */
export async function deletePost(ports: Pick<Ports, 'posts'>, post: Post, expected?: ExpectedVersions): Promise<void> {
  if (!(await ports.posts.delete(post.id, expected))) throw notFound();
}
