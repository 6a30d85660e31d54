import { type Post, type PostRepository, requireVersion, type Uuid, withEdit } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import type { Queries } from '../store/dialect.ts';
import { lockForPosts, lockProfileOf } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import { attachmentsAmong } from './attachments.ts';
import { changePosts } from './change-posts.ts';
import { listFewPosts, listPosts } from './post-list.ts';
import { withMedia } from './post-rows.ts';
import { putPosts } from './put-posts.ts';

export function postRepository(store: Store): PostRepository {
  return {
    insert: (post, completion) =>
      store.write(async (transaction) => {
        const { profileId, externalId, mediaIds } = post;
        await lockForPosts(transaction, [profileId]);
        if (externalId !== null && (await findExternal(transaction, profileId, externalId))) {
          return { conflict: 'external_id_taken' };
        }
        const refusals = (await attachmentsAmong(transaction, mediaIds))(post, []);
        if (refusals.size > 0) return { conflict: 'media', refusals };
        await changePosts(transaction, [{ before: null, after: post }]);
        if (completion) await completeWithin(transaction, completion);
        return null;
      }),

    upsert: (posts, now) => store.write((transaction) => putPosts(transaction, store.dialect, posts, now)),

    find: (id) => store.read((snapshot) => findPost(snapshot, id)),

    findExternal: (profileId, externalId) => store.read((snapshot) => findExternal(snapshot, profileId, externalId)),

    list: async (workspaceId, filter, slice, signal) =>
      (await listFewPosts(store, workspaceId, filter, slice)) ??
      store.scan(listPosts, { workspaceId, signal }, workspaceId, filter, slice),

    publishedWithin: async (profileId, from, to, limit) => {
      const rows = await store.read((snapshot) =>
        snapshot
          .selectFrom('posts')
          .select('published_at')
          .where('profile_id', '=', profileId)
          .where('published_at', '>=', from)
          .where('published_at', '<=', to)
          .orderBy('published_at', 'desc')
          .limit(limit)
          .execute(),
      );
      return rows.map((row) => row.published_at);
    },

    update: (id, edit, now, expected) =>
      store.write(async (transaction) => {
        const before = (await lockProfileOf(transaction, id)) ? await findPost(transaction, id) : null;
        if (before === null) return null;
        requireVersion(before.version, expected);
        const after = withEdit(before, edit, now);
        if (after === before) return before;
        const { profileId, externalId } = after;
        const isRenamed = externalId !== null && externalId !== before.externalId;
        if (isRenamed && (await findExternal(transaction, profileId, externalId))) {
          return { conflict: 'external_id_taken' };
        }
        const refusals = (await attachmentsAmong(transaction, edit.mediaIds ?? []))(after, before.mediaIds);
        if (refusals.size > 0) return { conflict: 'media', refusals };
        await changePosts(transaction, [{ before, after }]);
        return after;
      }),

    delete: (id, expected) =>
      store.write(async (transaction) => {
        const before = (await lockProfileOf(transaction, id)) ? await findPost(transaction, id) : null;
        if (before === null) return false;
        requireVersion(before.version, expected);
        await changePosts(transaction, [{ before, after: null }]);
        return true;
      }),
  };
}

async function findPost(queries: Queries, id: Uuid): Promise<Post | null> {
  const row = await queries.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirst();
  const [post = null] = await withMedia(queries, row ? [row] : []);
  return post;
}

async function findExternal(queries: Queries, profileId: Uuid, externalId: string): Promise<Post | null> {
  const row = await queries
    .selectFrom('posts')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  const [post = null] = await withMedia(queries, row ? [row] : []);
  return post;
}
