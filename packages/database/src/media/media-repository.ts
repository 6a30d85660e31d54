import {
  type ActiveMedia,
  changeTags,
  type Deletion,
  MAX_TAGS,
  type MediaChange,
  type MediaItem,
  type MediaRepository,
  type MediaWithCover,
  requireVersion,
  type Uuid,
  versionOfMedia,
} from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { completeJob, deleteJobs } from '../jobs/jobs.ts';
import { recordDeletions } from '../library/deletion-repository.ts';
import type { Queries } from '../store/dialect.ts';
import { lockItem } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import { deleteItem, itemAndCover, lockAndPick, lockToDelete, pick } from './delete-item.ts';
import { listUninspected, storeInspected } from './inspection.ts';
import { listFewMedia, listMedia } from './media-list.ts';
import { activeFromRow, mediaFromRow, mediaToRow } from './media-rows.ts';
import { countFewPostsOf, countPostsOf } from './posts-of.ts';
import { findTags, groupTags, listTags, replaceTags, tagsOfItem } from './tags.ts';
import { insertItem, insertItems, refuseFolderOf } from './write-items.ts';

export function mediaRepository(store: Store): MediaRepository {
  const rowsOf = store.lookup((queries) => itemAndCover(queries, GIVEN));
  const tagsOf = store.lookup((queries) => tagsOfItem(queries, GIVEN));

  return {
    insert: (items, coversDue, completion) =>
      store.write(async (transaction) => {
        const outcome = await insertItems(transaction, items, coversDue);
        if (completion && outcome === 'kept') await completeWithin(transaction, completion);
        return outcome;
      }),

    async find(id) {
      const rows = rowsOf(id, id);
      // Rows that are available immediately aren't awaited, so that `settled` is called in the same turn of the event
      // loop.
      const found = pick(rows instanceof Promise ? await rows : rows, id);
      const settled = found && store.settled(found.item.updatedAt);
      if (settled) await settled;
      return found;
    },

    async list(workspaceId, query, slice, signal) {
      const page =
        (await listFewMedia(store, workspaceId, query, slice)) ??
        (await store.scan(listMedia, { workspaceId, signal }, workspaceId, query, slice));
      await store.settled(Math.max(...page.items.map(({ item }) => item.updatedAt)));
      return page;
    },

    listTags: (workspaceId, slice, signal) => store.scan(listTags, { workspaceId, signal }, workspaceId, slice),

    tagsOf: async (ids) => groupTags(await Promise.all(ids.map((id) => tagsOf(id)))),

    postsOf: async (workspaceId, ids, signal) =>
      (await store.read((queries) => countFewPostsOf(queries, ids))) ??
      new Map(await store.scan(countPostsOf, { workspaceId, signal }, ids)),

    update: (id, change, now, expected) =>
      store.write(async (transaction) => {
        const found = await lockAndPick(transaction, id);
        if (found === null) return null;
        requireVersion(versionOfMedia(found), expected);
        const { tags: given, addedTags, removedTags, cover, ...fields } = change;
        const item: MediaItem = { ...found.item, ...fields, version: found.item.version + 1, updatedAt: now };
        // The tags are read under the item's lock, so that no concurrent change is lost.
        const tags = addedTags || removedTags ? await changedTags(transaction, id, change) : given;
        if (tags && tags.length > MAX_TAGS) return 'too_many_tags';
        if (fields.folderId !== undefined && (await refuseFolderOf(transaction, item))) return 'folder_missing';
        const row = mediaToRow(item, tags ?? (await findTags(transaction, id)));
        // Triggers record a change only if certain columns change: `updated_at` is one of them, tags and the focal
        // point are not. If the last change was made in the same millisecond, `updated_at` is set back first, so that
        // it changes now.
        if (found.item.updatedAt === now)
          await transaction
            .updateTable('media')
            .set({ updated_at: now - 1 })
            .where('id', '=', id)
            .execute();
        await transaction.updateTable('media').set(row).where('id', '=', id).execute();
        if (tags !== undefined) await replaceTags(transaction, item, tags);
        if (cover === undefined) return { item, cover: found.cover };
        // The version that clients see includes the cover's version, so the new cover must not have a lower version
        // than the old one.
        const next = { ...cover, version: found.cover?.version ?? cover.version };
        await replaceCover(transaction, found, next, now);
        return { item, cover: next, ...(found.cover && { replacedCover: found.cover }) };
      }),

    delete: (id, recordedAt, expected) =>
      store.write(async (transaction) => {
        const found = await lockToDelete(transaction, id, expected);
        if (found === null || found === 'in_use') return found;
        const fullNames = await deleteItem(transaction, found);
        const removed = [found.item, found.cover].filter((gone) => gone !== null);
        if (recordedAt !== undefined) await recordDeletions(transaction, deletionsOf(removed, recordedAt));
        return fullNames;
      }),

    async listActive(after, limit) {
      const rows = await store.read(async (queries) => {
        const of = (table: 'media' | 'trashed_media') => {
          const active = queries.selectFrom(table).selectAll().where('status', '=', 'active');
          const rest = after === null ? active : active.where('id', '>', after);
          return rest.orderBy('id').limit(limit).execute();
        };
        return [...(await of('media')), ...(await of('trashed_media'))];
      });
      return rows
        .sort((one, other) => (one.id < other.id ? -1 : 1))
        .slice(0, limit)
        .map(activeFromRow);
    },

    async findStored(id) {
      const row = await store.read(async (queries) => {
        const of = (table: 'media' | 'trashed_media') =>
          queries.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst();
        return (await of('media')) ?? (await of('trashed_media'));
      });
      await store.settled();
      return row ? mediaFromRow(row) : null;
    },

    listUninspected: (after, limit) => listUninspected(store, after, limit),

    finishCover: (id, owner, cover) =>
      store.write(async (transaction) => {
        if (!(await lockItem(transaction, id))) return false;
        if (!(await completeJob(transaction, { kind: 'cover', subjectId: id }, owner))) return false;
        if (cover !== null) await insertItem(transaction, cover);
        return true;
      }),

    storeInspected: (id, file) => store.write((transaction) => storeInspected(transaction, id, file)),

    async existingFullNames(fullNames) {
      if (fullNames.length === 0) return new Set();
      const rows = await store.read(async (queries) => {
        const media = queries
          .selectFrom('media')
          .select('full_name')
          .where('full_name', 'in', fullNames)
          .where('status', '!=', 'failed');
        const deleted = queries.selectFrom('deletions').select('full_name').where('full_name', 'in', fullNames);
        const trashed = queries.selectFrom('trashed_media').select('full_name').where('full_name', 'in', fullNames);
        return [...(await media.execute()), ...(await deleted.execute()), ...(await trashed.execute())];
      });
      // The caller removes the objects whose names aren't returned, so the deletion of their rows must be durable.
      await store.settled();
      return new Set(rows.flatMap((row) => row.full_name ?? []));
    },
  };
}

async function replaceCover(
  queries: Queries,
  { item, cover: former }: MediaWithCover,
  cover: ActiveMedia,
  now: number,
): Promise<void> {
  await deleteJobs(queries, 'cover', [item.id]);
  if (former !== null) {
    await queries.deleteFrom('media').where('id', '=', former.id).execute();
    await recordDeletions(queries, deletionsOf([former], now));
  }
  await insertItem(queries, cover);
}

const deletionsOf = (removed: readonly MediaItem[], deletedAt: number): Deletion[] =>
  removed.flatMap(({ id, fullName, status }) => [
    { id, fullName, deletedAt },
    ...(status === 'temporary' ? [{ id, fullName: null, deletedAt }] : []),
  ]);

async function changedTags(
  queries: Queries,
  id: Uuid,
  { tags, addedTags = [], removedTags = [] }: MediaChange,
): Promise<readonly string[]> {
  const before = tags ?? (await findTags(queries, id));
  return changeTags(before, addedTags, removedTags);
}
