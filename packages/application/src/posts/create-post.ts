import { type Post, Refusal, type Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { conflictErrors, postErrors } from './check-post.ts';

export type NewPost = Pick<Post, 'profileId' | 'externalId' | 'publishedAt' | 'text' | 'mediaIds' | 'metrics'>;

/**
 * Keeps a post that was published.
 *
 * @throws Refusal `invalid` on `profile`, `external_id` or `media_content_ids.N`
 */
export async function createPost(
  ports: Pick<Ports, 'profiles' | 'posts' | 'media' | 'ids' | 'clock'>,
  workspace: Workspace,
  details: NewPost,
): Promise<Post> {
  const { profileId: profile, externalId: external_id, mediaIds: media_content_ids } = details;
  const errors = await postErrors(ports, workspace.id, { profile, external_id, media_content_ids });
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  const now = ports.clock.now();
  const post = { id: ports.ids.next(), workspaceId: workspace.id, ...details, createdAt: now, updatedAt: now };
  const conflict = await ports.posts.insert(post);
  if (conflict) throw new Refusal({ code: 'invalid', errors: conflictErrors(conflict) });
  return post;
}
