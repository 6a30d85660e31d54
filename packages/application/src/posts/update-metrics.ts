import { notFound, type Post, type PostMetrics } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** What the network counts by now; what is absent stays. @throws Refusal `not_found` when the post went meanwhile */
export async function updateMetrics(
  ports: Pick<Ports, 'posts' | 'clock'>,
  post: Post,
  metrics: Partial<PostMetrics>,
): Promise<Post> {
  const updated = await ports.posts.updateMetrics(post.id, metrics, ports.clock.now());
  if (!updated) throw notFound();
  return updated;
}
