import {
  type PageRequest,
  type Post,
  type PostFilter,
  Refusal,
  type Rows,
  sliceOf,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { profileErrors } from './check-post.ts';

/** Most recently published first. @throws Refusal `invalid` when `profile` is none of the workspace */
export async function listPosts(
  ports: Pick<Ports, 'posts' | 'profiles'>,
  workspace: Workspace,
  filter: PostFilter,
  page: PageRequest,
): Promise<Rows<Post>> {
  const errors = await profileErrors(ports, workspace.id, filter.profileId);
  if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  return ports.posts.list(workspace.id, filter, sliceOf(page));
}
