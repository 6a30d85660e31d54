import {
  type AttachmentRefusal,
  invalid,
  NO_METRICS,
  type Post,
  type PostConflict,
  type PostDetails,
  type PostFilter,
  type PostMetrics,
  type PostRepository,
  refuseAttachment,
  selectedInvalid,
  type UpsertOutcome,
  type Uuid,
} from '@postshelf/domain';
import { type MemoryTables, requireFree } from './memory-tables.ts';

export function memoryPosts(tables: MemoryTables): PostRepository {
  const { posts } = tables;

  return {
    insert: async (post) => keep(tables, post),

    async upsert(batch, now) {
      const before = new Map(posts);
      try {
        return batch.map((details) => put(tables, details, now));
      } catch (error) {
        posts.clear();
        for (const [id, post] of before) posts.set(id, post);
        throw error;
      }
    },

    find: async (id) => posts.get(id) ?? null,

    findExternal: async (profileId, externalId) => named(tables, profileId, externalId),

    async list(workspaceId, filter, { offset, limit }) {
      const items = [...posts.values()]
        .filter((post) => post.workspaceId === workspaceId && passes(post, filter))
        .sort((a, b) => b.publishedAt - a.publishedAt || (a.id < b.id ? 1 : -1));
      return { items: items.slice(offset, offset + limit), total: items.length };
    },

    async updateMetrics(id, given, now) {
      const post = posts.get(id);
      if (!post) return null;
      const metrics = { ...post.metrics, ...given };
      if (!says(post, { metrics })) return post;
      const updated = { ...post, metrics, updatedAt: now };
      posts.set(id, updated);
      return updated;
    },

    remove: async (id) => posts.delete(id),
  };
}

function keep(tables: MemoryTables, post: Post): PostConflict | null {
  if (!tables.profiles.has(post.profileId)) throw invalid('profile', selectedInvalid('profile'));
  requireFree(tables.posts, post.id);
  if (tables.profiles.get(post.profileId)?.workspaceId !== post.workspaceId) {
    throw new Error(`The workspace ${post.workspaceId} has no profile ${post.profileId}`);
  }
  if (post.externalId !== null && named(tables, post.profileId, post.externalId)) {
    return { conflict: 'external_id_taken' };
  }
  const conflict = refuseMedia(tables, post, []);
  if (conflict === null) tables.posts.set(post.id, post);
  return conflict;
}

function put(tables: MemoryTables, details: PostDetails, now: number): UpsertOutcome {
  const { id, workspaceId, profileId, externalId, publishedAt } = details;
  const current = named(tables, profileId, externalId);
  const { text = null, mediaIds = [], metrics = NO_METRICS } = current ?? {};
  const said = {
    publishedAt,
    text: details.text === undefined ? text : details.text,
    mediaIds: details.mediaIds ?? mediaIds,
    metrics: { ...metrics, ...details.metrics },
  };
  if (!current) {
    const conflict = keep(tables, { id, workspaceId, profileId, externalId, ...said, createdAt: now, updatedAt: now });
    return conflict?.conflict === 'media' ? conflict : 'created';
  }
  if (!says(current, said)) return 'unchanged';
  const changed = { ...current, ...said, updatedAt: now };
  const conflict = refuseMedia(tables, changed, current.mediaIds);
  if (conflict === null) tables.posts.set(current.id, changed);
  return conflict ?? 'updated';
}

function named({ posts }: MemoryTables, profileId: Uuid, externalId: string): Post | null {
  for (const post of posts.values()) {
    if (post.profileId === profileId && post.externalId === externalId) return post;
  }
  return null;
}

/** Whether something is said of a post that it doesn't say already. */
const says = (post: Post, said: Partial<Post> & { readonly metrics: PostMetrics }): boolean =>
  !Bun.deepEquals({ ...post, ...said }, post);

function refuseMedia(
  { media }: MemoryTables,
  { mediaIds, workspaceId }: Post,
  shown: readonly Uuid[],
): Extract<UpsertOutcome, object> | null {
  if (new Set(mediaIds).size < mediaIds.length) throw new Error('A post shows a media item twice');
  const refusals = new Map<number, AttachmentRefusal>();
  for (const [index, id] of mediaIds.entries()) {
    const refusal = shown.includes(id) ? null : refuseAttachment(media.get(id), workspaceId);
    if (refusal) refusals.set(index, refusal);
  }
  return refusals.size > 0 ? { conflict: 'media', refusals } : null;
}

const passes = (post: Post, { profileId, from, to }: PostFilter): boolean =>
  (profileId === undefined || post.profileId === profileId) &&
  (from === undefined || post.publishedAt >= from) &&
  (to === undefined || post.publishedAt <= to);
