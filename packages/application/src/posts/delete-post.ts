import { notFound, type Post } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Its media stay, free for others. @throws Refusal `not_found` when somebody else deleted it first */
export async function deletePost(ports: Pick<Ports, 'posts'>, post: Post): Promise<void> {
  if (!(await ports.posts.remove(post.id))) throw notFound();
}
