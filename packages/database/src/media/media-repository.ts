import {
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
import { recordDeletions } from '../library/deletion-repository.ts';
import { completeWithin } from '../repeats/complete.ts';
import { searchKey, searchKeyAsTagged } from '../search/search-key.ts';
import type { Queries } from '../store/dialect.ts';
import { lockItem } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { MediaRow } from '../store/tables.ts';
import { listUninspected, storeInspected } from './inspection.ts';
import { listFewMedia, listMedia } from './media-list.ts';
import { activeFromRow, mediaToRow, withCover } from './media-rows.ts';
import { countFewPostsOf, countPostsOf } from './posts-of.ts';
import { findTags, groupTags, listTags, replaceTags, tagsOfItem } from './tags.ts';
import { insertItems, refuseFolderOf, removeAliases } from './write-items.ts';

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
      // Without a pause where there is nothing to wait for: what is settled is then known without a look.
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
        const { tags: given, addedTags, removedTags, ...fields } = change;
        const item: MediaItem = { ...found.item, ...fields, version: found.item.version + 1, updatedAt: now };
        // Under the item's lock, so that no concurrent change is lost.
        const tags = addedTags || removedTags ? await changedTags(transaction, id, change) : given;
        if (tags && tags.length > MAX_TAGS) return 'too_many_tags';
        if (fields.folderId !== undefined && (await refuseFolderOf(transaction, item))) return 'folder_missing';
        // Before the tags: a trigger checks that the key has each of them.
        const search_key = tags ? searchKey(item, tags) : searchKeyAsTagged(item);
        await transaction
          .updateTable('media')
          .set({ ...mediaToRow(item), search_key })
          .where('id', '=', id)
          .execute();
        if (tags !== undefined) await replaceTags(transaction, item, tags);
        return { item, cover: found.cover };
      }),

    remove: (id, recordedAt, expected) =>
      store.write(async (transaction) => {
        const found = await lockAndPick(transaction, id);
        if (found === null) return null;
        requireVersion(versionOfMedia(found), expected);
        if (await isInUse(transaction, id)) return 'in_use';
        // Any number, which the database would remove with the item by one statement.
        while ((await removeAliases(transaction, (aliases) => aliases.where('media_id', '=', id))) > 0);
        await transaction
          .deleteFrom('media')
          .where((eb) => eb.or([eb('id', '=', id), eb('cover_of', '=', id)]))
          .execute();
        const removed = [found.item, found.cover].filter((gone) => gone !== null);
        if (recordedAt !== undefined) await recordDeletions(transaction, deletionsOf(removed, recordedAt));
        return removed.map(({ fullName }) => fullName);
      }),

    async listActive(after, limit) {
      const rows = await store.read((queries) => {
        const active = queries.selectFrom('media').selectAll().where('status', '=', 'active');
        const rest = after === null ? active : active.where('id', '>', after);
        return rest.orderBy('id').limit(limit).execute();
      });
      return rows.map(activeFromRow);
    },

    listUninspected: (after, limit) => listUninspected(store, after, limit),

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
        return [...(await media.execute()), ...(await deleted.execute())];
      });
      // The objects of the other names are removed, so their rows must be gone for good.
      await store.settled();
      return new Set(rows.flatMap((row) => row.full_name ?? []));
    },
  };
}

const deletionsOf = (removed: readonly MediaItem[], deletedAt: number): Deletion[] =>
  removed.flatMap(({ id, fullName, status }) => [
    { id, fullName, deletedAt },
    ...(status === 'temporary' ? [{ id, fullName: null, deletedAt }] : []),
  ]);

const itemAndCover = (queries: Queries, id: Uuid) =>
  queries
    .selectFrom('media')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', id), eb('cover_of', '=', id)]));

async function lockAndPick(queries: Queries, id: Uuid): Promise<MediaWithCover | null> {
  if (!(await lockItem(queries, id))) return null;
  return pick(await itemAndCover(queries, id).execute(), id);
}

function pick(rows: readonly MediaRow[], id: Uuid): MediaWithCover | null {
  const row = rows.find((candidate) => candidate.id === id);
  const coverRow = rows.find((candidate) => candidate.cover_of === id);
  return row ? withCover(row, coverRow) : null;
}

async function changedTags(
  queries: Queries,
  id: Uuid,
  { tags, addedTags = [], removedTags = [] }: MediaChange,
): Promise<readonly string[]> {
  const before = tags ?? (await findTags(queries, id));
  return changeTags(before, addedTags, removedTags);
}

/** Covers can't be attached. */
async function isInUse(queries: Queries, id: Uuid): Promise<boolean> {
  const use = await queries
    .selectFrom('post_media')
    .select('post_id')
    .where('media_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return use !== undefined;
}
